use strict;
use warnings;

my @words = split ' ', join '', <STDIN>;
my $sum = 0;
$sum += $_ for @words[1 .. $#words];
print "$sum\n";
