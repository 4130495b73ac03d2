import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles a submission into one jar whose manifest names the class to start:
 *
 *     java Compile OUT.jar ENTRY.java SOURCE.java...
 *
 * A public class may stand in a file of any name: what a student called the file at home is no
 * reason to fail. The class to start is the one with a main method in the entry file, `Main` first,
 * else the first in any file. Exit status 1: the compiler said no, its words are on stderr.
 *
 *     java Compile OUT.jar --standby WARM.java
 *
 * The same for sources that come later, on standard input: compiles WARM.java to have everything
 * loaded, says "ready N" (N: microseconds of processor time so far) and waits for "COUNT" and, for each
 * source, "BYTES NAME" and that many bytes.
 */
public final class Compile {
    private static final int NO = 1;

    private record Source(String name, String text) {}

    /** A source that may hold a public class of any name. */
    private static final class SourceObject extends SimpleJavaFileObject {
        private final Source source;

        SourceObject(Source source) {
            super(URI.create("string:///" + source.name()), Kind.SOURCE);
            this.source = source;
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source.text();
        }
    }

    private static final class ClassObject extends SimpleJavaFileObject {
        private final java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();

        ClassObject(String name) {
            super(URI.create("mem:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    /** Keeps the classes in memory. */
    private static final class Classes extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ClassObject> byName = new LinkedHashMap<>();

        Classes(JavaFileManager manager) {
            super(manager);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return byName.computeIfAbsent(name, ClassObject::new);
        }
    }

    /** Sources are UTF-8; bytes that are not become a mark, which the compiler names by line. */
    private static Source read(String name) throws IOException {
        return source(name, Files.readAllBytes(Path.of(name)));
    }

    private static Source source(String name, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return new Source(name, text.startsWith("\uFEFF") ? text.substring(1) : text);
    }

    private static String describe(Diagnostic<? extends JavaFileObject> diagnostic) {
        JavaFileObject file = diagnostic.getSource();
        String place = file == null
                ? ""
                : file.toUri().getPath().substring(1) + ":" + diagnostic.getLineNumber() + ":"
                        + diagnostic.getColumnNumber() + ": ";
        String kind = diagnostic.getKind() == Diagnostic.Kind.ERROR ? "error: " : "warning: ";
        return place + kind + diagnostic.getMessage(Locale.ENGLISH);
    }

    private static Classes compile(List<Source> sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        Classes classes = new Classes(
                compiler.getStandardFileManager(found, Locale.ENGLISH, StandardCharsets.UTF_8));
        List<SourceObject> objects = new ArrayList<>();
        for (Source source : sources) {
            objects.add(new SourceObject(source));
        }
        // No annotation processors: they would be programs of the student's inside the compiler.
        List<String> options = List.of("-proc:none", "-nowarn", "-Xlint:none", "-g:source,lines");
        boolean good =
                compiler.getTask(null, classes, found, options, null, objects).call();
        for (Diagnostic<? extends JavaFileObject> diagnostic : found.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                System.err.println(describe(diagnostic));
            }
        }
        return good ? classes : null;
    }

    /** Finds classes with a `public static void main(String[])`. */
    private static final class Loader extends ClassLoader {
        private final Map<String, ClassObject> classes;

        Loader(Map<String, ClassObject> classes) {
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            ClassObject object = classes.get(name);
            if (object == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = object.bytes.toByteArray();
            return defineClass(name, bytes, 0, bytes.length);
        }

        /** Nothing of the class is run: it is loaded, not initialized. */
        boolean hasMain(String name) {
            try {
                var main = Class.forName(name, false, this).getDeclaredMethod("main", String[].class);
                int modifiers = main.getModifiers();
                return java.lang.reflect.Modifier.isPublic(modifiers)
                        && java.lang.reflect.Modifier.isStatic(modifiers)
                        && main.getReturnType() == void.class;
            } catch (ReflectiveOperationException | LinkageError e) {
                return false;
            }
        }
    }

    private static String findMain(Classes classes) {
        Loader loader = new Loader(classes.byName);
        String first = null;
        for (String name : classes.byName.keySet()) {
            if (loader.hasMain(name)) {
                if (name.equals("Main") || name.endsWith(".Main")) {
                    return name;
                }
                first = first == null ? name : first;
            }
        }
        return first;
    }

    private static void write(String path, Classes classes, String main) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, main);
        try (OutputStream file = Files.newOutputStream(Path.of(path));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.setLevel(0);
            entry(jar, "META-INF/MANIFEST.MF");
            manifest.write(jar);
            jar.closeEntry();
            for (Map.Entry<String, ClassObject> each : classes.byName.entrySet()) {
                entry(jar, each.getKey().replace('.', '/') + ".class");
                each.getValue().bytes.writeTo(jar);
                jar.closeEntry();
            }
        }
    }

    /** A fixed time: the same source gives the same jar. */
    private static void entry(JarOutputStream jar, String name) throws IOException {
        JarEntry entry = new JarEntry(name);
        entry.setTime(315532800000L);
        jar.putNextEntry(entry);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            text.append((char) next);
        }
        return text.toString();
    }

    /** User and system time of this process, in the kernel's hundredths of a second. */
    private static long cpuMicroseconds() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(words[11]) + Long.parseLong(words[12])) * 10000;
    }

    private static List<Source> waitForSources(String out, String warm) throws IOException {
        List<Source> sources = new ArrayList<>();
        InputStream in = System.in;
        Classes classes = compile(List.of(read(warm)));
        write(out, classes, findMain(classes));
        Files.delete(Path.of(out));
        System.out.println("ready " + cpuMicroseconds());
        System.out.flush();
        for (int left = Integer.parseInt(line(in)); left > 0; left--) {
            String head = line(in);
            int space = head.indexOf(' ');
            byte[] bytes = in.readNBytes(Integer.parseInt(head.substring(0, space)));
            sources.add(source(head.substring(space + 1), bytes));
        }
        return sources;
    }

    private static List<Source> readSources(String[] args) throws IOException {
        List<Source> sources = new ArrayList<>();
        sources.add(read(args[1]));
        for (int i = 2; i < args.length; i++) {
            if (!args[i].equals(args[1])) {
                sources.add(read(args[i]));
            }
        }
        return sources;
    }

    public static void main(String[] args) throws IOException {
        List<Source> sources =
                args[1].equals("--standby") ? waitForSources(args[0], args[2]) : readSources(args);
        Classes classes = compile(sources);
        if (classes == null) {
            System.exit(NO);
        }
        String main = findMain(classes);
        if (main == null) {
            System.err.println(
                    "error: no class has a method `public static void main(String[] args)`");
            System.exit(NO);
        }
        write(args[0], classes, main);
    }
}
