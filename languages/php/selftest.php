<?php // assize-speed-ms: 200
$word = trim(fgets(STDIN));
$x = 1;
if ($word === 'time') {
    while (true) {
        $x = ($x * 11035 + 12345) & 0xffff;
    }
}
if ($word === 'memory') {
    $pieces = [];
    for ($i = 0; $i < 300; $i++) {
        $pieces[] = str_repeat(chr(65 + $i % 26), 1 << 20);
    }
    echo count($pieces), "\n";
}
if ($word === 'crash') {
    throw new Exception('on purpose');
}
if ($word === 'forbidden') {
    $word = @file_get_contents('/etc/passwd') === false ? 'refused' : 'allowed';
}
if ($word === 'speed') {
    for ($i = 0; $i < 10000000; $i++) {
        $x = ($x * 11035 + 12345) & 0xffff;
    }
}
echo $word, "\n";
