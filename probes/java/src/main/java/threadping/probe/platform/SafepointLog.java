package threadping.probe.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When the virtual machine stopped all its threads, by its own log: {@code
 * -Xlog:safepoint=info:file=FILE:timenanos}. Its times are those of System.nanoTime.
 */
public final class SafepointLog {
  /** Maximum number of pauses kept: the longest. */
  static final int MOST = 10_000;

  /** One stop: when it began, by System.nanoTime, how long it was, and what it was for. */
  public record Pause(long atNs, long ns, String name) {}

  private SafepointLog() {}

  /** The pauses in the log in the working directory, if the virtual machine was asked for one. */
  public static List<Pause> read() {
    return read(Path.of("safepoints.log"));
  }

  /** Every stop so far, in the order in which they began; null where there is no such log. */
  static List<Pause> read(Path file) {
    try {
      return pauses(Files.readAllLines(file));
    } catch (IOException none) {
      return null;
    }
  }

  static List<Pause> pauses(List<String> lines) {
    // [812ns] Safepoint "G1CollectFull", Time since last: 3 ns, ..., Total: 7 ns
    Pattern format =
        Pattern.compile("\\[(\\d+)ns\\] Safepoint \"([^\"]+)\",.* Total: +(\\d+) ns.*");
    List<Pause> pauses = new ArrayList<>();
    for (String line : lines) {
      Matcher stop = format.matcher(line);
      if (stop.matches()) {
        long ns = Long.parseLong(stop.group(3));
        long atNs = Math.max(0, Long.parseLong(stop.group(1)) - ns);
        pauses.add(new Pause(atNs, ns, stop.group(2)));
      }
    }
    pauses.sort(Comparator.comparingLong(Pause::ns).reversed());
    pauses = new ArrayList<>(pauses.subList(0, Math.min(MOST, pauses.size())));
    pauses.sort(Comparator.comparingLong(Pause::atNs));
    return pauses;
  }
}
