package threadping.probe.platform;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The little JSON that a probe writes and reads itself. */
public final class Json {
  /** Something that is written as an object. */
  public interface Written {
    Fields json();
  }

  /** An object's names and, in the same order, their values. */
  public record Fields(String[] names, Object... values) {}

  /** The names of an object, in a row, whose values follow. */
  public record Names(String names) {
    public Fields with(Object... values) {
      return new Fields(names.split(" "), values);
    }
  }

  private Json() {}

  public static Names object(String names) {
    return new Names(names);
  }

  /** Writes null, a text, a number, a truth, an object, or a list of these. */
  public static String of(Object value) {
    StringBuilder into = new StringBuilder();
    write(value, into);
    return into.toString();
  }

  /** {"size":64,"wait":"spin"}: texts in which nothing has to be escaped, and whole numbers. */
  public static Map<String, Object> read(String flat) {
    Map<String, Object> values = new HashMap<>();
    for (String pair : flat.substring(1, flat.length() - 1).split(",")) {
      int colon = pair.indexOf(':');
      if (colon > 0) {
        String value = pair.substring(colon + 1);
        boolean isText = value.charAt(0) == '"';
        values.put(
            pair.substring(1, colon - 1),
            isText ? value.substring(1, value.length() - 1) : (Object) Long.valueOf(value));
      }
    }
    return values;
  }

  private static void write(Object value, StringBuilder into) {
    if (value instanceof Written object) {
      write(object.json(), into);
    } else if (value instanceof Fields object) {
      for (int each = 0; each < object.values.length; each++) {
        quote(object.names[each], into.append(each == 0 ? '{' : ','));
        write(object.values[each], into.append(':'));
      }
      into.append('}');
    } else if (value instanceof List<?> list) {
      into.append('[');
      for (int each = 0; each < list.size(); each++) {
        write(list.get(each), each == 0 ? into : into.append(','));
      }
      into.append(']');
    } else if (value instanceof String text) {
      quote(text, into);
    } else {
      into.append(value);
    }
  }

  private static void quote(String text, StringBuilder into) {
    into.append('"');
    for (int each = 0; each < text.length(); each++) {
      char letter = text.charAt(each);
      if (letter == '"' || letter == '\\' || letter < ' ') {
        into.append(String.format("\\u%04x", (int) letter));
      } else {
        into.append(letter);
      }
    }
    into.append('"');
  }
}
