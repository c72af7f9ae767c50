package threadping.probe.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/** What /proc/stat has counted so far; null where it does not tell. */
public final class MachineCounters {
  private static final Path STAT = Path.of("/proc/stat");

  /** USER_HZ is 100 on every architecture that a JVM runs on (asm-generic/param.h). */
  static final long NS_PER_TICK = 10_000_000;

  /** After the CPU's name (Documentation/filesystems/proc.rst, 1.7). */
  private static final int STEAL = 8;

  public static final MachineCounters UNKNOWN = new MachineCounters(null, null);

  public final Long stealNs;
  public final Long interrupts;

  private MachineCounters(Long stealNs, Long interrupts) {
    this.stealNs = stealNs;
    this.interrupts = interrupts;
  }

  /** The steal time of these CPUs, and the interrupts of all. */
  public static MachineCounters of(Set<Integer> cpus) {
    Set<String> names = cpus.stream().map(cpu -> "cpu" + cpu).collect(Collectors.toSet());
    Long steal = null;
    Long interrupts = null;
    try {
      for (String line : Files.readAllLines(STAT)) {
        String[] words = line.split(" ", STEAL + 2);
        if (words[0].equals("intr")) {
          interrupts = Long.valueOf(words[1]);
        } else if (names.contains(words[0]) && words.length > STEAL) {
          steal = (steal == null ? 0 : steal) + Long.parseLong(words[STEAL]) * NS_PER_TICK;
        }
      }
    } catch (IOException | NumberFormatException unreadable) {
      return UNKNOWN;
    }
    return new MachineCounters(steal, interrupts);
  }

  public MachineCounters since(MachineCounters start) {
    return new MachineCounters(
        difference(stealNs, start.stealNs), difference(interrupts, start.interrupts));
  }

  /** Never negative: steal time has been seen to step back on live migration. */
  private static Long difference(Long end, Long start) {
    return end == null || start == null ? null : (Long) Math.max(0, end - start);
  }
}
