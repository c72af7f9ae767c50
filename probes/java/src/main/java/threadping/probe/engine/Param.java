package threadping.probe.engine;

import java.util.List;
import java.util.stream.Stream;
import threadping.probe.platform.Json;

/**
 * Something that a request may set: a text out of some choices, or a number within a range.
 *
 * @param defaultValue a Long or a String
 * @param choices what a text may be; null for a number
 * @param range the least and the most that a number may be; null for a text
 * @param onlyWith another parameter, and the value that it must have; null if it may always be
 *     given
 * @param needs what a text may be elsewhere, each with what it needs that is not here
 */
public record Param(
    String name,
    Object defaultValue,
    List<String> choices,
    List<Long> range,
    Json.Fields onlyWith,
    List<List<String>> needs)
    implements Json.Written {

  /** The first choice is the default. */
  public static Param text(String name, List<String> choices) {
    return new Param(name, choices.get(0), choices, null, null, List.of());
  }

  public static Param number(String name, long defaultValue, long least, long most) {
    return new Param(name, defaultValue, null, List.of(least, most), null, List.of());
  }

  public Param onlyWith(String param, String value) {
    return new Param(
        name, defaultValue, choices, range, Json.object("param value").with(param, value), needs);
  }

  /** This parameter with further choices for machines that have {@code what}. */
  public Param needing(String what, String... choices) {
    List<List<String>> all = Stream.of(choices).map(choice -> List.of(choice, what)).toList();
    return new Param(name, defaultValue, this.choices, range, onlyWith, all);
  }

  public Param withDefault(long number) {
    return new Param(name, number, choices, range, onlyWith, needs);
  }

  @Override
  public Json.Fields json() {
    return Json.object("name default choices needs range only_with")
        .with(name, defaultValue, choices, needs, range, onlyWith);
  }
}
