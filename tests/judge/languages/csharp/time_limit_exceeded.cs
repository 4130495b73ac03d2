public static class Loop {
    static volatile int last;

    public static void Main() {
        while (true) {
            last++;
        }
    }
}
