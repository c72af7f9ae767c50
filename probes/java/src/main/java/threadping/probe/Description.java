package threadping.probe;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import threadping.probe.crew.Experiment;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.message.Json;

/** What {@code describe} writes: contract/describe.schema.json. */
final class Description {
  private Description() {}

  static byte[] json(String version, List<String> flags, List<Experiment> experiments) {
    return Json.message(
        json -> {
          json.writeStringField("probe", "java");
          json.writeStringField("version", version);
          json.writeObjectFieldStart("toolchain");
          json.writeStringField(
              "name",
              System.getProperty("java.vm.name") + " (" + System.getProperty("java.vendor") + ")");
          json.writeStringField("version", System.getProperty("java.vm.version"));
          Json.write(json, "flags", flags);
          json.writeEndObject();
          json.writeArrayFieldStart("experiments");
          for (Experiment experiment : experiments) {
            write(json, experiment);
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, Experiment experiment) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", experiment.name);
    Json.write(json, "roles", experiment.roles);
    Json.write(json, "threads", List.of(experiment.leastThreads, experiment.mostThreads));
    json.writeStringField("windows", experiment.windows.word);
    json.writeArrayFieldStart("mechanisms");
    for (Mechanism mechanism : experiment.mechanisms) {
      write(json, mechanism);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Mechanism mechanism) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", mechanism.name);
    json.writeBooleanField("blocking", mechanism.blocking);
    json.writeStringField("timed", mechanism.timed);
    json.writeBooleanField("pinnable", !mechanism.virtual);
    json.writeNumberField("lines", mechanism.lines);
    json.writeArrayFieldStart("params");
    for (Param param : mechanism.params) {
      write(json, param);
    }
    json.writeEndArray();
    json.writeStringField("needs", mechanism.needs());
    json.writeFieldName("words");
    if (mechanism.words == null) {
      json.writeNull();
    } else {
      json.writeStartObject();
      json.writeStringField("summary", mechanism.words.summary);
      json.writeStringField("costs", mechanism.words.costs);
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Param param) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", param.name);
    json.writeObjectField("default", param.defaultValue);
    Json.write(json, "choices", param.choices);
    Json.write(json, "range", param.range);
    json.writeFieldName("only_with");
    if (param.onlyWith == null) {
      json.writeNull();
    } else {
      json.writeStartObject();
      json.writeStringField("param", param.onlyWith.param);
      json.writeStringField("value", param.onlyWith.value);
      json.writeEndObject();
    }
    json.writeEndObject();
  }
}
