package threadping.probe.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import threadping.probe.platform.Clock;
import threadping.probe.platform.RunLengths;
import threadping.probe.platform.ThreadCounters;

/**
 * What a trial measured: contract/result.schema.json. Here what every experiment tells; its own
 * figures are a subclass's. A null stands for what nobody tells.
 */
public abstract class Result {
  public String experiment;
  public String mechanism;
  public final List<MeasuringThread> threads;

  public Clock clock;

  public long warmupOps;
  public long warmupNs;
  public boolean warmupComplete;

  public long measuredOps;
  public long measuredNs;
  public boolean cut;

  public Long stealNs;
  public Long interrupts;
  public Long compileMs;
  public long collections;

  Result(List<String> roles) {
    this.threads = roles.stream().map(MeasuringThread::new).collect(Collectors.toList());
  }

  /** As many threads of one role. */
  Result(String role, int threads) {
    this(Collections.nCopies(threads, role));
  }

  /** The CPUs on which the threads may run, once they stand there. */
  public final Set<Integer> cpusInUse() {
    Set<Integer> cpus = new TreeSet<>();
    for (MeasuringThread thread : threads) {
      cpus.addAll(thread.cpusStart);
    }
    return cpus;
  }

  /** Writes the experiment's own figures into the object that is open. */
  abstract void writeFigures(JsonGenerator json) throws IOException;

  static void write(JsonGenerator json, String name, RunLengths distribution) throws IOException {
    json.writeObjectFieldStart(name);
    json.writeFieldName("values_ns");
    json.writeArray(distribution.values, 0, distribution.values.length);
    json.writeFieldName("counts");
    json.writeArray(distribution.counts, 0, distribution.counts.length);
    json.writeEndObject();
  }

  /** One measuring thread. */
  public static final class MeasuringThread {
    public final String role;
    public List<Integer> cpusStart;
    public List<Integer> cpusEnd;

    /** Over the measuring phase. */
    public ThreadCounters counters = ThreadCounters.none();

    MeasuringThread(String role) {
      this.role = role;
    }
  }
}
