package threadping.probe.own;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** Classes of somebody's own, compiled against this probe and the libraries that it measures. */
final class Compiled {
  private Compiled() {}

  /** The class path of a folder of this test that has the class of this source. */
  static String source(Path folder, String name, String source) throws Exception {
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    return compile(folder, file);
  }

  /** The class path of an example, behind the libraries' jars. */
  static String example(Path folder, String name) throws Exception {
    return compile(folder, Path.of("../../examples/java", name + ".java"));
  }

  private static String compile(Path folder, Path file, String... more) {
    String path = System.getProperty("java.class.path");
    List<String> words =
        new ArrayList<>(List.of("-Xlint:all,-serial", "-Werror", "-cp", path, "-d"));
    words.addAll(List.of(folder + "/classes", file.toString()));
    int status =
        ToolProvider.getSystemJavaCompiler().run(null, null, null, words.toArray(String[]::new));
    assertEquals(0, status);
    return String.join(
        ":", jar(org.jctools.queues.SpscArrayQueue.class), agrona(), folder + "/classes");
  }

  static String agrona() {
    return jar(org.agrona.concurrent.ManyToOneConcurrentArrayQueue.class);
  }

  /** Where it was loaded from. */
  static String jar(Class<?> type) {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
  }
}
