package threadping.probe.contract;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import threadping.probe.platform.Look;

/** What was looked at around what took long. */
public final class Evidence implements Json.Fields {
  /** What a look takes, as a mean over those who look. */
  public double lookNs;

  /** How many looks all threads made while they measured. */
  public long looks;

  /** By what interrupts are counted; null where the kernel tells nothing. */
  public String interrupts;

  /** What could not be seen, and what would show it, a sentence each. */
  public final TreeSet<String> lacking = new TreeSet<>();

  public final List<Outlier> outliers = new ArrayList<>();

  @Override
  public Map<String, Object> fields() {
    outliers.sort(Comparator.comparingLong(Outlier::atNs));
    return Json.object(
        "look_ns", lookNs,
        "looks", looks,
        "interrupts", interrupts,
        "lacking", List.copyOf(lacking),
        "outliers", outliers);
  }

  /**
   * Something that took long: of which distribution, who timed it, when it began by the clock that
   * is measured with, and what was seen around it, which may be null.
   */
  public record Outlier(String of, int thread, long atNs, long ns, Seen seen)
      implements Json.Fields {
    @Override
    public Map<String, Object> fields() {
      return Json.object("of", of, "thread", thread, "at_ns", atNs, "ns", ns, "seen", seen);
    }
  }

  /** What happened to a thread from one look to another; null where the kernel does not tell. */
  public record Seen(
      long ns,
      int cpuBefore,
      int cpu,
      long cpuNs,
      Long runDelayNs,
      Long othersRunDelayNs,
      long voluntarySwitches,
      long involuntarySwitches,
      long minorFaults,
      long majorFaults,
      Long interrupts)
      implements Json.Fields {

    /**
     * The difference of two looks. Interrupts of two CPUs cannot be compared, unless only those are
     * counted that came while the thread ran.
     */
    public static Seen between(Look before, Look after, boolean isOfThread) {
      boolean areOthers = after.cpu() != before.cpu() && !isOfThread;
      return new Seen(
          after.atNs() - before.atNs(),
          before.cpu(),
          after.cpu(),
          after.cpuNs() - before.cpuNs(),
          told(Look.difference(after.runDelayNs(), before.runDelayNs())),
          told(after.othersRunDelayNsSince(before)),
          after.voluntarySwitches() - before.voluntarySwitches(),
          after.involuntarySwitches() - before.involuntarySwitches(),
          after.minorFaults() - before.minorFaults(),
          after.majorFaults() - before.majorFaults(),
          areOthers ? null : told(Look.difference(after.interrupts(), before.interrupts())));
    }

    private static Long told(long count) {
      return count == Look.UNKNOWN ? null : (Long) count;
    }

    @Override
    public Map<String, Object> fields() {
      return Json.object(
          "ns", ns,
          "cpu_before", cpuBefore,
          "cpu", cpu,
          "cpu_ns", cpuNs,
          "run_delay_ns", runDelayNs,
          "others_run_delay_ns", othersRunDelayNs,
          "voluntary_switches", voluntarySwitches,
          "involuntary_switches", involuntarySwitches,
          "minor_faults", minorFaults,
          "major_faults", majorFaults,
          "interrupts", interrupts);
    }
  }
}
