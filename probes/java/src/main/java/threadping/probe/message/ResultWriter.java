package threadping.probe.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import threadping.probe.Failure;
import threadping.probe.platform.Clock;

/** Writes what a trial measured, or why it did not. */
public final class ResultWriter {
  private ResultWriter() {}

  public static byte[] json(Failure failure) {
    return Message.of(
        json -> {
          json.writeObjectFieldStart("error");
          json.writeStringField("code", failure.code().word);
          json.writeStringField("message", failure.getMessage());
          json.writeEndObject();
        });
  }

  public static byte[] json(Result result) {
    return Message.of(
        json -> {
          json.writeStringField("experiment", result.experiment);
          json.writeStringField("mechanism", result.mechanism);
          json.writeArrayFieldStart("threads");
          for (Result.MeasuringThread thread : result.threads) {
            write(json, thread);
          }
          json.writeEndArray();
          writePhases(json, result);
          result.writeFigures(json);
          writeSurroundings(json, result);
        });
  }

  private static void write(JsonGenerator json, Result.MeasuringThread thread) throws IOException {
    json.writeStartObject();
    json.writeStringField("role", thread.role);
    write(json, "cpus_start", thread.cpusStart);
    write(json, "cpus_end", thread.cpusEnd);
    json.writeNumberField("cpu_ns", thread.counters.cpuNs);
    json.writeNumberField("voluntary_switches", thread.counters.voluntarySwitches);
    json.writeNumberField("involuntary_switches", thread.counters.involuntarySwitches);
    Message.writeMaybe(json, "migrations", thread.counters.migrations);
    json.writeNumberField("minor_faults", thread.counters.minorFaults);
    json.writeNumberField("major_faults", thread.counters.majorFaults);
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, String name, List<Integer> cpus)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (int cpu : cpus) {
      json.writeNumber(cpu);
    }
    json.writeEndArray();
  }

  private static void writePhases(JsonGenerator json, Result result) throws IOException {
    json.writeObjectFieldStart("clock");
    json.writeStringField("name", Clock.NAME);
    json.writeNumberField("cost_ns", result.clock.costNs);
    json.writeNumberField("resolution_ns", result.clock.resolutionNs);
    json.writeEndObject();
    json.writeObjectFieldStart("warmup");
    json.writeNumberField("ops", result.warmupOps);
    json.writeNumberField("ns", result.warmupNs);
    json.writeBooleanField("complete", result.warmupComplete);
    json.writeEndObject();
    json.writeObjectFieldStart("measured");
    json.writeNumberField("ops", result.measuredOps);
    json.writeNumberField("ns", result.measuredNs);
    json.writeBooleanField("cut", result.cut);
    json.writeEndObject();
  }

  private static void writeSurroundings(JsonGenerator json, Result result) throws IOException {
    json.writeObjectFieldStart("machine");
    Message.writeMaybe(json, "steal_ns", result.stealNs);
    Message.writeMaybe(json, "interrupts", result.interrupts);
    json.writeEndObject();
    json.writeObjectFieldStart("managed");
    Message.writeMaybe(json, "compile_ms", result.compileMs);
    json.writeNumberField("collections", result.collections);
    json.writeEndObject();
  }
}
