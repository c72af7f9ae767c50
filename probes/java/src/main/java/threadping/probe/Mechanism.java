package threadping.probe;

import java.util.List;

/** A way for threads to do what an experiment asks; here only what {@code describe} says of it. */
public interface Mechanism {
  /** Its name, the same in every language. */
  String name();

  /** One sentence: what it does. */
  String summary();

  /** One sentence: what it costs the CPU, and when to choose it. */
  String cpuCost();

  /** Whether a waiting thread sleeps in the kernel. */
  boolean blocking();

  /**
   * How many lines it is measured over unless the request says otherwise. What sleeps costs a
   * wake-up, beside which one line's place in the cache is nothing.
   */
  default int lines() {
    return blocking() ? 1 : 256;
  }

  /** What a request may set; none by default. */
  default List<Param> params() {
    return List.of();
  }

  /** Why this runtime cannot run it ("Java 21"), or null if it can. */
  default String needs() {
    return null;
  }

  /** A parameter with its default, which is a Long or a String. */
  final class Param {
    public final String name;
    public final Object defaultValue;
    public final String summary;

    public Param(String name, Object defaultValue, String summary) {
      this.name = name;
      this.defaultValue = defaultValue;
      this.summary = summary;
    }
  }
}
