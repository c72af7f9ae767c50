package threadping.probe.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import com.google.gson.stream.MalformedJsonException;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as ordinary objects: an object is a Map, an array a List. */
public final class Json {
  /** The version of the contract that this probe speaks. */
  static final long SCHEMA = 4;

  private Json() {}

  /** An object of these names, each with its value, in this order. */
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int each = 0; each < namesAndValues.length; each += 2) {
      object.put((String) namesAndValues[each], namesAndValues[each + 1]);
    }
    return object;
  }

  /** What is written as an object of these fields. */
  interface Fields {
    Map<String, Object> fields();
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
    if (value instanceof Fields fields) {
      write(json, fields.fields());
    } else if (value instanceof Map<?, ?> map) {
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
    } else if (value instanceof long[] numbers) {
      json.jsonValue(Arrays.toString(numbers));
    } else if (value instanceof int[] numbers) {
      json.jsonValue(Arrays.toString(numbers));
    } else if (value instanceof Number number) {
      json.value(number);
    } else if (value instanceof Boolean flag) {
      json.value(flag);
    } else {
      json.value((String) value);
    }
  }

  /** What a text holds. Throws IOException for what is not JSON, and for a name given twice. */
  static Object read(byte[] text) throws IOException {
    String decoded = UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
    JsonReader json = new JsonReader(new StringReader(decoded));
    json.setStrictness(Strictness.STRICT);
    try {
      Object value = value(json);
      if (json.peek() != JsonToken.END_DOCUMENT) {
        throw new IOException("it goes on after its end");
      }
      return value;
    } catch (MalformedJsonException error) { // whose words are meant for the reader's programmer
      throw new IOException("it is malformed at " + json.getPath(), error);
    }
  }

  private static Object value(JsonReader json) throws IOException {
    switch (json.peek()) {
      case BEGIN_OBJECT:
        return object(json);
      case BEGIN_ARRAY:
        List<Object> array = new ArrayList<>();
        for (json.beginArray(); json.hasNext(); ) {
          array.add(value(json));
        }
        json.endArray();
        return array;
      case NUMBER:
        return number(json.nextString());
      case BOOLEAN:
        return json.nextBoolean();
      case NULL:
        json.nextNull();
        return null;
      default:
        return json.nextString();
    }
  }

  private static Map<String, Object> object(JsonReader json) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    for (json.beginObject(); json.hasNext(); ) {
      String name = json.nextName();
      if (object.containsKey(name)) {
        throw new IOException("it names '" + name + "' twice, at " + json.getPath());
      }
      object.put(name, value(json));
    }
    json.endObject();
    return object;
  }

  /** A Long, or a BigInteger where it is too large for that; a Double if not written as a whole. */
  private static Number number(String text) {
    if (text.contains(".") || text.contains("e") || text.contains("E")) {
      return Double.valueOf(text);
    }
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException tooLarge) {
      return new BigInteger(text);
    }
  }
}
