public static class Crash {
    public static void Main(string[] args) {
        System.Console.WriteLine(args[0]);
    }
}
