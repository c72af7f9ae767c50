package threadping.probe.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as ordinary objects: an object is a Map, an array a List. */
public final class Json {
  /** The version of the contract that this probe speaks. */
  public static final long SCHEMA = 4;

  private Json() {}

  /** An object of these names, each with its value, in this order. */
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int each = 0; each < namesAndValues.length; each += 2) {
      object.put((String) namesAndValues[each], namesAndValues[each + 1]);
    }
    return object;
  }

  /** A message of the contract with these fields. */
  public static byte[] message(Map<String, Object> fields) {
    Map<String, Object> message = object("schema", SCHEMA);
    message.putAll(fields);
    StringWriter text = new StringWriter();
    try {
      write(new JsonWriter(text), message);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return text.append('\n').toString().getBytes(UTF_8);
  }

  private static void write(JsonWriter json, Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      json.beginObject();
      for (Map.Entry<?, ?> field : map.entrySet()) {
        json.name((String) field.getKey());
        write(json, field.getValue());
      }
      json.endObject();
    } else if (value instanceof List<?> list) {
      json.beginArray();
      for (Object each : list) {
        write(json, each);
      }
      json.endArray();
    } else if (value instanceof Number number) {
      json.value(number);
    } else if (value instanceof Boolean flag) {
      json.value(flag);
    } else {
      json.value((String) value);
    }
  }
}
