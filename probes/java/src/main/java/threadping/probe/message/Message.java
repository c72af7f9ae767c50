package threadping.probe.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A message on its way out: one JSON object that starts with the contract's version. */
final class Message {
  private static final int SCHEMA = 1;

  private Message() {}

  interface Body {
    void write(JsonGenerator json) throws IOException;
  }

  static byte[] of(Body body) {
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

  /** A number or null. */
  static void writeMaybe(JsonGenerator json, String name, Long value) throws IOException {
    json.writeFieldName(name);
    if (value == null) {
      json.writeNull();
    } else {
      json.writeNumber(value);
    }
  }
}
