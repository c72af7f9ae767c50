package threadping.probe.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import threadping.probe.platform.Onlooker.Seen;

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
    outliers.sort((one, other) -> Long.compare(one.atNs, other.atNs));
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
      return Json.object("of", of, "thread", thread, "at_ns", atNs, "ns", ns, "seen", told());
    }

    private Map<String, Object> told() {
      return seen == null
          ? null
          : Json.object(
              "ns", seen.ns(),
              "cpu_before", seen.cpuBefore(),
              "cpu", seen.cpu(),
              "cpu_ns", seen.cpuNs(),
              "run_delay_ns", seen.runDelayNs(),
              "others_run_delay_ns", seen.othersRunDelayNs(),
              "voluntary_switches", seen.voluntarySwitches(),
              "involuntary_switches", seen.involuntarySwitches(),
              "minor_faults", seen.minorFaults(),
              "major_faults", seen.majorFaults(),
              "interrupts", seen.interrupts());
    }
  }
}
