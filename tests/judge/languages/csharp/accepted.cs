using System;
using System.Linq;

public static class Sum {
    public static void Main() {
        var words = Console.In.ReadToEnd().Split(new[] {' ', '\n'}, StringSplitOptions.RemoveEmptyEntries);
        Console.WriteLine(words.Skip(1).Select(long.Parse).Sum());
    }
}
