package threadping.probe.message;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What was looked at around what took long. */
public final class Evidence implements Json.Fields {
  /** What a look takes, as a mean over those who look. */
  public double lookNs;

  /** By what interrupts are counted; null where the kernel tells nothing. */
  public String interrupts;

  /** What more rights would show, a sentence each. */
  public final TreeSet<String> lacking = new TreeSet<>();

  public final List<Outlier> outliers = new ArrayList<>();

  @Override
  public Map<String, Object> fields() {
    outliers.sort(Comparator.comparingLong(outlier -> outlier.atNs));
    return Json.object(
        "look_ns", lookNs,
        "interrupts", interrupts,
        "lacking", List.copyOf(lacking),
        "outliers", outliers);
  }
}
