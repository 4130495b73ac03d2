<?php
$pieces = [];
for ($i = 0; $i < 300; $i++) {
    $pieces[] = str_repeat(chr(65 + $i % 26), 1 << 20);
}
echo count($pieces), "\n";
