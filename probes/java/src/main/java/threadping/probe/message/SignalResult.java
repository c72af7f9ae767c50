package threadping.probe.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import threadping.probe.platform.RunLengths;

/** One trial of {@code signal}. */
public final class SignalResult extends Result {
  public int blockRoundTrips = 1;

  /** For each line its blocks' mean round trips. */
  public List<double[]> lines;

  public Partial partial;

  /** Single round trips in nanoseconds. */
  public RunLengths singles;

  public SignalResult(List<String> roles) {
    super(roles);
  }

  @Override
  void writeFigures(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("blocks");
    json.writeNumberField("round_trips", blockRoundTrips);
    json.writeArrayFieldStart("lines");
    for (double[] line : lines) {
      json.writeArray(line, 0, line.length);
    }
    json.writeEndArray();
    json.writeFieldName("partial");
    if (partial == null) {
      json.writeNull();
    } else {
      json.writeStartObject();
      json.writeNumberField("line", partial.line);
      json.writeNumberField("round_trips", partial.roundTrips);
      json.writeNumberField("ns", partial.ns);
      json.writeEndObject();
    }
    json.writeEndObject();
    write(json, "singles", singles);
  }

  /** The block that the bound cut. */
  public static final class Partial {
    public final int line;
    public final long roundTrips;
    public final long ns;

    public Partial(int line, long roundTrips, long ns) {
      this.line = line;
      this.roundTrips = roundTrips;
      this.ns = ns;
    }
  }
}
