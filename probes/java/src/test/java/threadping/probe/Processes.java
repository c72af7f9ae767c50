package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Virtual machines of their own. */
public final class Processes {
  private Processes() {}

  /**
   * Runs a class in this folder, whose name and arguments are the words; fails unless it ends so.
   * Returns what it said.
   */
  public static String run(int status, Path folder, List<String> flags, String... words)
      throws Exception {
    return limited("unlimited", status, folder, flags, words);
  }

  /** The same with {@code kib} KiB of memory to map. */
  public static String limited(
      String kib, int status, Path folder, List<String> flags, String... words) throws Exception {
    List<String> usual =
        List.of(
            "sh",
            "-c",
            "ulimit -v " + kib + "; exec \"$0\" \"$@\"",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dthreadping.native=" + System.getProperty("threadping.native"),
            "-cp",
            classPath());
    Path log = folder.resolve("log");
    int ended =
        new ProcessBuilder(Stream.of(usual, flags, List.of(words)).flatMap(List::stream).toList())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    String said = Contract.read(log);
    assertEquals(status, ended, said);
    return said;
  }

  /** In another working directory it must not begin here. */
  private static String classPath() {
    String places =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(places.split(File.pathSeparator))
        .map(place -> Path.of(place).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
