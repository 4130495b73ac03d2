# assize-speed-ms: 200
use strict;
use warnings;

my $word = <STDIN>;
$word =~ s/\s+//g;
my $x = 1;
if ($word eq 'time') {
    while (1) { $x = ($x * 11035 + 12345) & 0xffff; }
}
if ($word eq 'memory') {
    my @pieces = map { 'x' x (1 << 20) } 1 .. 300;
    print scalar(@pieces), "\n";
}
die "on purpose" if $word eq 'crash';
if ($word eq 'forbidden') {
    $word = open(my $file, '<', '/etc/passwd') ? 'allowed' : 'refused';
}
if ($word eq 'speed') {
    for (1 .. 2500000) { $x = ($x * 11035 + 12345) & 0xffff; }
}
print "$word\n";
