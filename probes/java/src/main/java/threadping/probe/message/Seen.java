package threadping.probe.message;

import java.util.Map;
import threadping.probe.platform.Look;

/** What happened to a thread from one look to another. */
public final class Seen implements Json.Fields {
  public long ns;
  public int cpuBefore;
  public int cpu;
  public long cpuNs;
  public long voluntarySwitches;
  public long involuntarySwitches;
  public long minorFaults;
  public long majorFaults;

  /** This one and the following are {@link Look#UNKNOWN} where the kernel does not tell. */
  public long runDelayNs;

  /** The longest of another measuring thread. */
  public long othersRunDelayNs;

  public long interrupts;
  public long stealNs;

  /** Takes the difference of two looks. Of two CPUs the interrupts cannot be compared. */
  public void between(Look before, Look after) {
    ns = after.atNs() - before.atNs();
    cpuBefore = before.cpu();
    cpu = after.cpu();
    cpuNs = after.cpuNs() - before.cpuNs();
    voluntarySwitches = after.voluntarySwitches() - before.voluntarySwitches();
    involuntarySwitches = after.involuntarySwitches() - before.involuntarySwitches();
    minorFaults = after.minorFaults() - before.minorFaults();
    majorFaults = after.majorFaults() - before.majorFaults();
    runDelayNs = Look.difference(after.runDelayNs(), before.runDelayNs());
    interrupts =
        cpu == cpuBefore ? Look.difference(after.interrupts(), before.interrupts()) : Look.UNKNOWN;
    othersRunDelayNs = after.othersRunDelayNsSince(before);
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
        "run_delay_ns", told(runDelayNs),
        "others_run_delay_ns", told(othersRunDelayNs),
        "voluntary_switches", voluntarySwitches,
        "involuntary_switches", involuntarySwitches,
        "minor_faults", minorFaults,
        "major_faults", majorFaults,
        "interrupts", told(interrupts),
        "steal_ns", told(stealNs));
  }
}
