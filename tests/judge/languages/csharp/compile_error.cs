public static class Broken {
    public static void Main() {
        int count = "text";
    }
}
