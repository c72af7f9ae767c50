package threadping.probe.contract;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A JSON object that is read field by field and then asked whether anything was left over. Every
 * complaint is a Failure(BAD_REQUEST) that names the field by its path.
 */
final class StrictObject {
  private final String prefix;
  private final Map<Object, Object> left;

  StrictObject(Object value, String path) {
    require(value instanceof Map, path.isEmpty() ? "whole" : path, "an object");
    this.prefix = path.isEmpty() ? "" : path + ".";
    this.left = new LinkedHashMap<>((Map<?, ?>) value);
  }

  /** The field, which must be there. */
  Object at(String name) {
    if (!left.containsKey(name)) {
      throw BAD_REQUEST.failure("The request lacks '%s%s'.", prefix, name);
    }
    return left.remove(name);
  }

  StrictObject object(String name) {
    return new StrictObject(at(name), prefix + name);
  }

  /** What is under its names, whatever they are. */
  Map<String, Object> numbersAndTexts() {
    Map<String, Object> values = new LinkedHashMap<>();
    left.forEach(
        (name, value) ->
            values.put(
                (String) name,
                value instanceof String
                    ? value
                    : (Long) integer(value, prefix + name, Long.MIN_VALUE, Long.MAX_VALUE)));
    return values;
  }

  /** A list of one entry at least. */
  static List<?> list(Object value, String path, int most) {
    int size = value instanceof List ? ((List<?>) value).size() : 0;
    require(size >= 1 && size <= most, path, "a list of 1 to " + most);
    return (List<?>) value;
  }

  long integer(String name, long least, long most) {
    return integer(at(name), prefix + name, least, most);
  }

  static long integer(Object value, String path, long least, long most) {
    require(value instanceof Number && !(value instanceof Double), path, "a whole number");
    boolean fits = value instanceof Long && (long) value >= least && (long) value <= most;
    require(fits, path, "between " + least + " and " + most);
    return (long) value;
  }

  double number(String name, long least, long most) {
    Object value = at(name);
    double number = value instanceof Number ? ((Number) value).doubleValue() : Double.NaN;
    boolean fits = number >= least && number <= most;
    require(fits, prefix + name, "a number between " + least + " and " + most);
    return number;
  }

  /** A number above 0, and 1 at most; or null. */
  Double shareOrNull(String name) {
    Object value = at(name);
    return value == null ? null : (Double) share(name, value);
  }

  /** A number above 0, and 1 at most. */
  double share(String name) {
    return share(name, at(name));
  }

  private double share(String name, Object value) {
    double share = value instanceof Number ? ((Number) value).doubleValue() : 0;
    require(share > 0 && share <= 1, prefix + name, "a number above 0, and 1 at most");
    return share;
  }

  boolean flag(String name) {
    Object value = at(name);
    require(value instanceof Boolean, prefix + name, "true or false");
    return (boolean) value;
  }

  String text(String name) {
    Object value = at(name);
    require(value instanceof String && !value.equals(""), prefix + name, "a text, not empty");
    return (String) value;
  }

  /** Which of two words it is. */
  boolean isFirst(String name, String first, String second) {
    Object value = at(name);
    require(first.equals(value) || second.equals(value), prefix + name, first + " or " + second);
    return first.equals(value);
  }

  /** Refuses the object if it holds a field that was not asked for. */
  void refuseTheRest() {
    for (Object name : left.keySet()) {
      throw BAD_REQUEST.failure("The request has an unknown field '%s%s'.", prefix, name);
    }
  }

  private static void require(boolean holds, String path, String wanted) {
    if (!holds) {
      throw BAD_REQUEST.failure("The request's %s must be %s.", path, wanted);
    }
  }
}
