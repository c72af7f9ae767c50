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
  /** Of more the longest are told. */
  static final int MOST = 10_000;

  private static final String NAMELESS = "safepoint";

  /** {@code [812ns] Safepoint "G1CollectFull", Time since last: 3 ns, ..., Total: 7 ns}. */
  private static final Pattern WHOLE =
      Pattern.compile("\\[(\\d+)ns\\] Safepoint \"([^\"]+)\",.* Total: +(\\d+) ns.*");

  /** Before Java 13 one line at its beginning, and one at its end. */
  private static final Pattern BEGINNING =
      Pattern.compile("\\[\\d+ns\\] Entering safepoint region: (.+)");

  private static final Pattern END =
      Pattern.compile(
          "\\[(\\d+)ns\\] Total time for which application threads were stopped: ([\\d.]+)"
              + " seconds.*");

  /** One stop. */
  public static final class Pause {
    /** When it began, by System.nanoTime. */
    public final long atNs;

    /** How long it was. */
    public final long ns;

    /** What it was for. */
    public final String name;

    Pause(long endNs, long ns, String name) {
      this.atNs = Math.max(0, endNs - ns);
      this.ns = ns;
      this.name = name;
    }
  }

  private SafepointLog() {}

  /** Every stop so far, in the order in which they began; null where there is no such log. */
  public static List<Pause> read(Path file) {
    try {
      return pauses(Files.readAllLines(file));
    } catch (IOException none) {
      return null;
    }
  }

  static List<Pause> pauses(List<String> lines) {
    List<Pause> pauses = new ArrayList<>();
    String name = NAMELESS;
    for (String line : lines) {
      Matcher whole = WHOLE.matcher(line);
      Matcher beginning = BEGINNING.matcher(line);
      Matcher end = END.matcher(line);
      if (whole.matches()) {
        long ns = Long.parseLong(whole.group(3));
        pauses.add(new Pause(Long.parseLong(whole.group(1)), ns, whole.group(2)));
      } else if (beginning.matches()) {
        name = beginning.group(1);
      } else if (end.matches()) {
        long ns = Math.round(Double.parseDouble(end.group(2)) * 1e9);
        pauses.add(new Pause(Long.parseLong(end.group(1)), ns, name));
        name = NAMELESS;
      }
    }
    return longest(pauses);
  }

  private static List<Pause> longest(List<Pause> pauses) {
    if (pauses.size() > MOST) {
      pauses.sort(Comparator.comparingLong((Pause pause) -> pause.ns).reversed());
      pauses = pauses.subList(0, MOST);
    }
    pauses.sort(Comparator.comparingLong(pause -> pause.atNs));
    return pauses;
  }
}
