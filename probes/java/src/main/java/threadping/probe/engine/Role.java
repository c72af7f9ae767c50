package threadping.probe.engine;

import java.util.List;
import threadping.probe.platform.Json;

/**
 * What some of the threads are.
 *
 * @param counts whether its operations are the experiment's
 * @param numbers distributions in addition to what it times, by {@link Samples#number}'s index
 * @param tallies by {@link Samples#tally}'s index
 * @param times whether it times anything: where not, its threads have nothing to look into
 */
public record Role(
    String name, boolean counts, List<NumberInfo> numbers, List<String> tallies, boolean times)
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

  public Role(String name, boolean counts, List<NumberInfo> numbers, List<String> tallies) {
    this(name, counts, numbers, tallies, true);
  }

  /** One that times nothing, nor counts for the experiment. */
  public static Role timingNothing(String name) {
    return new Role(name, false, List.of(), List.of(), false);
  }

  @Override
  public Json.Fields json() {
    return Json.object("name counts numbers tallies times")
        .with(name, counts, numbers, tallies, times);
  }
}
