package threadping.probe.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import threadping.probe.Experiment;
import threadping.probe.Mechanism;
import threadping.probe.Param;

/** What {@code describe} writes: contract/describe.schema.json. */
public final class Description {
  private Description() {}

  public static byte[] json(
      String version, List<String> flags, List<Experiment<?, ?>> experiments) {
    return Message.of(
        json -> {
          json.writeStringField("probe", "java");
          json.writeStringField("version", version);
          json.writeObjectFieldStart("toolchain");
          json.writeStringField(
              "name",
              System.getProperty("java.vm.name") + " (" + System.getProperty("java.vendor") + ")");
          json.writeStringField("version", System.getProperty("java.vm.version"));
          json.writeArrayFieldStart("flags");
          for (String flag : flags) {
            json.writeString(flag);
          }
          json.writeEndArray();
          json.writeEndObject();
          json.writeArrayFieldStart("experiments");
          for (Experiment<?, ?> experiment : experiments) {
            write(json, experiment);
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, Experiment<?, ?> experiment) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", experiment.name());
    json.writeArrayFieldStart("roles");
    for (String role : experiment.roles()) {
      json.writeString(role);
    }
    json.writeEndArray();
    json.writeFieldName("threads");
    json.writeArray(new int[] {experiment.leastThreads(), experiment.mostThreads()}, 0, 2);
    json.writeArrayFieldStart("mechanisms");
    for (Mechanism mechanism : experiment.mechanisms()) {
      write(json, mechanism);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Mechanism mechanism) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", mechanism.name());
    json.writeStringField("summary", mechanism.summary());
    json.writeStringField("cpu_cost", mechanism.cpuCost());
    json.writeBooleanField("blocking", mechanism.blocking());
    json.writeStringField("timed", mechanism.timed());
    json.writeBooleanField("pinnable", mechanism.pinnable());
    json.writeNumberField("lines", mechanism.lines());
    json.writeArrayFieldStart("params");
    for (Param param : mechanism.params()) {
      write(json, param);
    }
    json.writeEndArray();
    json.writeStringField("needs", mechanism.needs());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Param param) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", param.name);
    json.writeObjectField("default", param.defaultValue);
    writeMaybe(json, "choices", param.choices);
    writeMaybe(json, "range", param.range);
    json.writeFieldName("only_with");
    if (param.onlyWith == null) {
      json.writeNull();
    } else {
      json.writeStartObject();
      json.writeStringField("param", param.onlyWith.param);
      json.writeStringField("value", param.onlyWith.value);
      json.writeEndObject();
    }
    json.writeStringField("summary", param.summary);
    json.writeEndObject();
  }

  /** A list of texts or numbers, or null. */
  private static void writeMaybe(JsonGenerator json, String name, List<?> values)
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
}
