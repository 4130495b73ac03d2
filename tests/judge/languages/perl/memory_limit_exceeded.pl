my @pieces = map { 'x' x (1 << 20) } 1 .. 300;
print scalar(@pieces), "\n";
