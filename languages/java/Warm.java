import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Compiled once while Java is prepared: uses what submissions use, so that the classes of the
 * compiler for it are known. */
public class Warm {
    interface Shape {
        double area();
    }

    record Circle(double radius) implements Shape {
        public double area() {
            return Math.PI * radius * radius;
        }
    }

    enum Kind {
        SMALL,
        LARGE
    }

    static <T extends Comparable<T>> T best(List<? extends T> all, Function<T, T> change) {
        T best = null;
        for (T each : all) {
            T changed = change.apply(each);
            if (best == null || changed.compareTo(best) > 0) {
                best = changed;
            }
        }
        return best;
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer words = new StringTokenizer("1 2 3");
        Map<String, List<Integer>> groups = new TreeMap<>();
        int[][] grid = new int[4][5];
        long sum = 0;
        while (words.hasMoreTokens()) {
            int value = Integer.parseInt(words.nextToken());
            groups.computeIfAbsent("g" + value % 2, key -> new ArrayList<>()).add(value);
            sum += grid[value % 4][value % 5]++ + (value > 1 ? 1L : 0L);
        }
        Kind kind = sum > 3 ? Kind.LARGE : Kind.SMALL;
        String text = switch (kind) {
            case SMALL -> "small";
            case LARGE -> "large";
        };
        try (PrintWriter out = new PrintWriter(System.out)) {
            out.printf("%s %d %.3f %s%n", text, sum, new Circle(2).area(),
                    groups.values().stream().map(List::size).collect(Collectors.toList()));
        } catch (RuntimeException e) {
            throw new IllegalStateException(e);
        } finally {
            in.close();
        }
        System.out.println(best(List.of(1, 2, 3), x -> x * 2));
    }
}
