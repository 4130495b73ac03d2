die "on purpose";
