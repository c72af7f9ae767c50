package threadping.probe.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;

/** A message on its way out: one JSON object that starts with the contract's version. */
public final class Json {
  /** The version of the contract that this probe speaks. */
  static final int SCHEMA = 2;

  private Json() {}

  /** Writes the fields of a message. */
  public interface Body {
    void write(JsonGenerator json) throws IOException;
  }

  public static byte[] message(Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = new JsonFactory().createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("schema", SCHEMA);
      body.write(json);
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return bytes.toByteArray();
  }

  /** A list of texts or numbers, or null. */
  public static void write(JsonGenerator json, String name, Collection<?> values)
      throws IOException {
    json.writeFieldName(name);
    if (values == null) {
      json.writeNull();
      return;
    }
    json.writeStartArray();
    for (Object value : values) {
      json.writeObject(value);
    }
    json.writeEndArray();
  }

  /** A number or null. */
  static void write(JsonGenerator json, String name, Long value) throws IOException {
    json.writeFieldName(name);
    json.writeObject(value);
  }
}
