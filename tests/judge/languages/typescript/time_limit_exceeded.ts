let last = 0;
for (;;) {
    last = (last + 1) % 1000;
}
