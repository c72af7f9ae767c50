package threadping.probe.message;

import java.util.Map;

/** Something that took long. Made before it happens, and used again for a longer one. */
public final class Outlier implements Json.Fields {
  /** Of which distribution. */
  public String of;

  /** Who timed it. */
  public int thread;

  /** When it began, by the clock that is measured with. */
  public long atNs;

  /** How long it took. */
  public long ns;

  /** Whether {@link #seen} is about this one. */
  public boolean wasSeen;

  public final Seen seen = new Seen();

  @Override
  public Map<String, Object> fields() {
    return Json.object(
        "of", of, "thread", thread, "at_ns", atNs, "ns", ns, "seen", wasSeen ? seen : null);
  }
}
