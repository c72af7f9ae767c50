package threadping.probe.platform;

import java.util.List;

/**
 * Looks at what the kernel counts for the thread that made it. Whatever it reads is opened when it
 * is made; a look is one native call and allocates nothing.
 */
public final class Onlooker {
  /** By what interrupts are counted, in the order of the C++ probe. */
  public enum Interrupts {
    UNTOLD(null),
    SOFT("soft-interrupts"),
    TRACE_POINTS("trace-points");

    /** As the contract spells it; null where the kernel tells neither. */
    public final String word;

    Interrupts(String word) {
      this.word = word;
    }
  }

  private final long address;

  /** Looks at the run delay of some of these threads too. */
  public Onlooker(int[] otherTasks, boolean withTracePoints) {
    address = Native.onlooker(otherTasks, withTracePoints);
  }

  public void look(Look into) {
    Native.look(address, into.values);
  }

  public Interrupts interrupts() {
    return Interrupts.values()[Native.interrupts(address)];
  }

  /** What is not told here and how it would be, a sentence each. */
  public List<String> lacking() {
    return List.of(Native.lacking(address));
  }
}
