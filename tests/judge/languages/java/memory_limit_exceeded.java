import java.util.ArrayList;
import java.util.List;

public class Main {
    public static void main(String[] args) {
        List<byte[]> pieces = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] piece = new byte[1 << 20];
            piece[i] = 1;
            pieces.add(piece);
        }
        System.out.println(pieces.size());
    }
}
