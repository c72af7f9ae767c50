import static java.lang.ProcessBuilder.Redirect.DISCARD;
import static java.lang.ProcessBuilder.Redirect.INHERIT;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Pins a bare program's threads, and refuses with one line what the program cannot do. */
final class Program {
  private Program() {}

  /**
   * Pins the calling thread with the article's own tool, because Java has no call for it, and reads
   * the pin back. The JIT and the collector stay free.
   */
  static void pinThisThread(String cpu) {
    try {
      Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self"));
      List<String> taskset =
          List.of("taskset", "--pid", "--cpu-list", cpu, thread.getFileName().toString());
      int status =
          new ProcessBuilder(taskset)
              .redirectOutput(DISCARD)
              .redirectError(INHERIT)
              .start()
              .waitFor();
      String wanted = "Cpus_allowed_list:\t" + cpu;
      if (status != 0
          || !Files.readAllLines(Path.of("/proc/thread-self/status")).contains(wanted)) {
        refuse("CPU " + cpu + " cannot be used here.");
      }
    } catch (IOException | InterruptedException error) {
      refuse("The thread cannot be pinned: " + error.getMessage() + ".");
    }
  }

  /** Ends the whole process: the other side may be spinning. */
  static void refuse(String why) {
    System.err.println(why);
    Runtime.getRuntime().halt(2);
  }
}
