package threadping.probe.engine;

import java.util.List;
import threadping.probe.platform.Json;

/**
 * What some of the threads are.
 *
 * @param counts whether its operations are the experiment's
 * @param numbers distributions beside what it times, by {@link Samples#number}'s index
 * @param tallies by {@link Samples#tally}'s index
 */
public record Role(String name, boolean counts, List<NumberInfo> numbers, List<String> tallies)
    implements Json.Written {
  /** A distribution of numbers of something, such as messages. */
  public record NumberInfo(String name, String unit) implements Json.Written {
    @Override
    public Json.Fields json() {
      return Json.object("name unit").with(name, unit);
    }
  }

  public Role(String name, boolean counts) {
    this(name, counts, List.of(), List.of());
  }

  @Override
  public Json.Fields json() {
    return Json.object("name counts numbers tallies").with(name, counts, numbers, tallies);
  }
}
