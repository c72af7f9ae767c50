package threadping.probe.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Map;
import threadping.probe.Failure;
import threadping.probe.platform.Clock;

/** Writes what a trial measured, or why it did not: contract/result.schema.json. */
public final class ResultWriter {
  private ResultWriter() {}

  public static byte[] json(Failure failure) {
    return Json.message(
        json -> {
          json.writeObjectFieldStart("error");
          json.writeStringField("code", failure.code().word);
          json.writeStringField("message", failure.getMessage());
          json.writeEndObject();
        });
  }

  public static byte[] json(Result result) {
    return Json.message(
        json -> {
          json.writeStringField("experiment", result.experiment);
          json.writeStringField("mechanism", result.mechanism);
          json.writeArrayFieldStart("threads");
          for (Result.MeasuringThread thread : result.threads) {
            write(json, thread);
          }
          json.writeEndArray();
          writePhases(json, result);
          writeSurroundings(json, result);
          write(json, result.windows);
          writeDistributions(json, result.distributions);
          writeCounts(json, result.counts);
        });
  }

  private static void write(JsonGenerator json, Result.MeasuringThread thread) throws IOException {
    json.writeStartObject();
    json.writeStringField("role", thread.role);
    Json.write(json, "cpus_start", thread.cpusStart);
    Json.write(json, "cpus_end", thread.cpusEnd);
    json.writeNumberField("cpu_ns", thread.counters.cpuNs);
    json.writeNumberField("voluntary_switches", thread.counters.voluntarySwitches);
    json.writeNumberField("involuntary_switches", thread.counters.involuntarySwitches);
    Json.write(json, "migrations", thread.counters.migrations);
    json.writeNumberField("minor_faults", thread.counters.minorFaults);
    json.writeNumberField("major_faults", thread.counters.majorFaults);
    json.writeEndObject();
  }

  private static void writePhases(JsonGenerator json, Result result) throws IOException {
    json.writeObjectFieldStart("clock");
    json.writeStringField("name", Clock.NAME);
    json.writeNumberField("cost_ns", result.clock.costNs);
    json.writeNumberField("resolution_ns", result.clock.resolutionNs);
    json.writeEndObject();
    json.writeObjectFieldStart("warmup");
    json.writeNumberField("ops", result.warmUpOps);
    json.writeNumberField("ns", result.warmUpNs);
    json.writeBooleanField("complete", result.warmUpComplete);
    json.writeEndObject();
    json.writeObjectFieldStart("measured");
    json.writeNumberField("ops", result.measuredOps);
    json.writeNumberField("ns", result.measuredNs);
    json.writeBooleanField("cut", result.cut);
    json.writeEndObject();
  }

  private static void writeSurroundings(JsonGenerator json, Result result) throws IOException {
    json.writeObjectFieldStart("home");
    Json.write(json, "nodes", result.homeNodes);
    json.writeEndObject();
    json.writeObjectFieldStart("machine");
    Json.write(json, "steal_ns", result.machine.stealNs);
    Json.write(json, "interrupts", result.machine.interrupts);
    json.writeEndObject();
    json.writeObjectFieldStart("managed");
    Json.write(json, "compile_ms", result.compileMs);
    json.writeNumberField("collections", result.collections);
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Result.Windows windows) throws IOException {
    json.writeObjectFieldStart("windows");
    json.writeNumberField("every", windows.every);
    json.writeFieldName("line");
    json.writeArray(windows.line, 0, windows.count);
    json.writeArrayFieldStart("kind");
    for (int window = 0; window < windows.count; window++) {
      json.writeString(windows.timed[window] ? "timed" : "plain");
    }
    json.writeEndArray();
    json.writeFieldName("ns");
    json.writeArray(windows.ns, 0, windows.count);
    json.writeArrayFieldStart("ops");
    for (long[] column : windows.ops) {
      json.writeArray(column, 0, windows.count);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void writeDistributions(
      JsonGenerator json, Map<String, Result.Distribution> distributions) throws IOException {
    json.writeObjectFieldStart("distributions");
    for (Map.Entry<String, Result.Distribution> named : distributions.entrySet()) {
      Result.Distribution distribution = named.getValue();
      json.writeObjectFieldStart(named.getKey());
      json.writeFieldName("values_ns");
      json.writeArray(distribution.values, 0, distribution.values.length);
      json.writeFieldName("counts");
      json.writeArray(distribution.counts, 0, distribution.counts.length);
      json.writeNumberField("censored", distribution.censored);
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void writeCounts(JsonGenerator json, Map<String, Result.Held> counts)
      throws IOException {
    json.writeObjectFieldStart("counts");
    for (Map.Entry<String, Result.Held> named : counts.entrySet()) {
      Result.Held held = named.getValue();
      json.writeObjectFieldStart(named.getKey());
      json.writeNumberField("made", held.made);
      json.writeNumberField("found", held.found);
      json.writeBooleanField("exact", held.exact);
      json.writeEndObject();
    }
    json.writeEndObject();
  }
}
