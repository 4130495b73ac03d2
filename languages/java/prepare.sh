# Makes the compiler's front end (compile.jar) and an archive of the classes it loads (compile.jsa),
# with which it starts in half the time. Classes of the front end itself stay out of the archive:
# it would then be bound to the path of the jar.
set -eu
jdk=/usr/lib/jvm/java-17-openjdk-amd64/bin
"$jdk/javac" -proc:none -d classes Compile.java
"$jdk/jar" --create --no-compress --file compile.jar -C classes .
"$jdk/java" -XX:DumpLoadedClassList=all.lst -cp compile.jar Compile warm.jar Warm.java
grep -v Compile all.lst > java.lst
"$jdk/java" -Xshare:dump -XX:SharedClassListFile=java.lst -XX:SharedArchiveFile=compile.jsa \
    > dump.log 2>&1 || {
    cat dump.log >&2
    exit 1
}
