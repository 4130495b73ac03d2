using System.Collections.Generic;

public static class Memory {
    public static void Main() {
        var pieces = new List<byte[]>();
        for (int i = 0; i < 300; i++) {
            var piece = new byte[1 << 20];
            for (int at = 0; at < piece.Length; at += 4096) {
                piece[at] = 1;
            }
            pieces.Add(piece);
        }
        System.Console.WriteLine(pieces.Count);
    }
}
