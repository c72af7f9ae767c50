package threadping.probe.engine;

import java.util.List;

/**
 * What some of the threads are.
 *
 * @param counts whether its operations are the experiment's
 * @param numbers distributions beside what it times, by {@link Samples#number}'s index
 * @param tallies by {@link Samples#tally}'s index
 */
public record Role(String name, boolean counts, List<NumberInfo> numbers, List<String> tallies) {
  /** A distribution of numbers of something, such as messages. */
  public record NumberInfo(String name, String unit) {}

  public Role(String name, boolean counts) {
    this(name, counts, List.of(), List.of());
  }
}
