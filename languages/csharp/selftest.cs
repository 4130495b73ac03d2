// assize-speed-ms: 250
using System;
using System.Collections.Generic;
using System.IO;

public static class SelfTest {
    static bool IsRefused() {
        try {
            File.ReadAllText("/etc/passwd");
            return false;
        } catch (Exception) {
            return true;
        }
    }

    public static void Main() {
        string word = Console.In.ReadLine().Trim();
        uint x = 1;
        if (word == "time") {
            while (word.Length > 0) {
                x = x * 1103515245u + 12345u;
            }
        }
        if (word == "memory") {
            var pieces = new List<byte[]>();
            for (int i = 0; i < 300; i++) {
                var piece = new byte[1 << 20];
                for (int at = 0; at < piece.Length; at += 4096) {
                    piece[at] = 1;
                }
                pieces.Add(piece);
            }
            Console.WriteLine(pieces.Count);
        }
        if (word == "crash") {
            throw new Exception("on purpose");
        }
        if (word == "forbidden") {
            word = IsRefused() ? "refused" : "allowed";
        }
        if (word == "speed") {
            for (int i = 0; i < 100000000; i++) {
                x = x * 1103515245u + 12345u;
            }
            word = x == 7 ? "never" : word;
        }
        Console.WriteLine(word);
    }
}
