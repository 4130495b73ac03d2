public static class Hello {
    public static void Main() {
        System.Console.WriteLine("hello");
    }
}
