// assize-speed-ms: 350
import java.io.FileReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

public class Main {
    static boolean isRefused() {
        try {
            new FileReader("/etc/passwd").close();
            return false;
        } catch (Exception expected) {
            return true;
        }
    }

    public static void main(String[] args) {
        String word = new Scanner(System.in).next();
        int x = word.length();
        if (word.equals("time")) {
            while (x != 0 || word.length() > 0) {
                x = x * 1103515245 + 12345;
            }
        }
        if (word.equals("memory")) {
            List<long[]> pieces = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                pieces.add(new long[1 << 17]);
            }
            System.out.println(pieces.size());
        }
        if (word.equals("crash")) {
            throw new IllegalStateException("on purpose");
        }
        if (word.equals("forbidden")) {
            System.out.println(isRefused() ? "refused" : "allowed");
            return;
        }
        if (word.equals("speed")) {
            for (int i = 0; i < 200000000; i++) {
                x = x * 1103515245 + 12345;
            }
            word = x == 7 ? "never" : word;
        }
        System.out.println(word);
    }
}
