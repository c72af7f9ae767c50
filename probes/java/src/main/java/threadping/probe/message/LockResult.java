package threadping.probe.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import threadping.probe.platform.RunLengths;

/** One trial of {@code lock}. */
public final class LockResult extends Result {
  /** In the order measured. */
  public final List<Window> windows = new ArrayList<>();

  /** In a sampled window each thread times one operation in so many. */
  public int every = 1;

  /** The timed operations of all threads in nanoseconds. */
  public RunLengths waits;

  /** Whether the mechanism promises that no increment is lost. */
  public boolean exact;

  public long made;
  public long found;

  public LockResult(String role, int threads) {
    super(role, threads);
  }

  @Override
  void writeFigures(JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("windows");
    for (Window window : windows) {
      json.writeStartObject();
      json.writeNumberField("line", window.line);
      json.writeBooleanField("sampled", window.sampled);
      json.writeNumberField("ns", window.ns);
      json.writeFieldName("ops");
      json.writeArray(window.ops, 0, window.ops.length);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeObjectFieldStart("sampling");
    json.writeNumberField("every", every);
    json.writeEndObject();
    write(json, "waits", waits);
    json.writeObjectFieldStart("counter");
    json.writeBooleanField("exact", exact);
    json.writeNumberField("made", made);
    json.writeNumberField("found", found);
    json.writeEndObject();
  }

  /** What all threads together did between two looks at their counts. */
  public static final class Window {
    public final int line;
    public final boolean sampled;
    public final long ns;

    /** Of each thread. */
    public final long[] ops;

    public Window(int line, boolean sampled, long ns, long[] ops) {
      this.line = line;
      this.sampled = sampled;
      this.ns = ns;
      this.ops = ops;
    }
  }
}
