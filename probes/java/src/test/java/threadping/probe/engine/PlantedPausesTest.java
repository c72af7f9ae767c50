package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.fail;
import static threadping.probe.TrialRequest.MS;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import threadping.probe.Contract;
import threadping.probe.Processes;
import threadping.probe.TrialRequest;

/**
 * Where the virtual machine's own log says that all its threads stood still there is an outlier:
 * their times are by one clock.
 */
@Timeout(300)
class PlantedPausesTest {
  private static final int TRIES = 10;

  @TempDir Path folder;

  /** Operations of a tenth of a millisecond, one by one. */
  private static final class Steady extends Acting {
    private volatile long performed;

    @Override
    public int run(int thread, Task task, Samples samples) {
      for (int done = 0; done < task.count(); done++) {
        long from = System.nanoTime();
        long now = from;
        while (now - from < MS / 10) {
          now = System.nanoTime();
        }
        samples.add(from, now);
        performed = performed + 1;
      }
      return task.count();
    }

    @Override
    public long progress(int line) {
      return performed;
    }
  }

  /** The probe's process, which plants collections and writes its result. */
  public static void main(String[] files) throws IOException {
    List<byte[]> ballast = new ArrayList<>(); // what a collection has to look at
    for (int each = 0; each < 200_000; each++) {
      ballast.add(new byte[100]);
    }
    Thread planter =
        new Thread(
            () -> {
              while (true) {
                LockSupport.parkNanos(20 * MS);
                System.gc();
              }
            });
    planter.setDaemon(true);
    planter.start();
    Files.write(Path.of(files[0]), Trial.run(request().json(), experiment()));
    Runtime.getRuntime().halt(ballast.size() == 200_000 ? 0 : 1);
  }

  private static Experiment experiment() {
    Mechanism steady =
        new Mechanism("steady", false, List.of("step"), 1, List.of(), setup -> new Steady());
    return new Experiment(
        "steady",
        List.of(new Role("worker", true)),
        1,
        1,
        Experiment.Unit.NS,
        "Nobody steps.",
        false,
        false,
        List.of(steady));
  }

  private static TrialRequest request() {
    TrialRequest request = TrialRequest.brief(experiment(), (Integer) null);
    request.lines = 1;
    request.windows.sampling = 500 * MS;
    request.measureNs = 1000 * MS;
    request.outliers.factor = 5;
    request.outliers.leastNs = MS;
    request.outliers.most = 100;
    return request;
  }

  private JsonObject measured() throws Exception {
    Processes.run(
        0,
        folder,
        List.of("-Xlog:safepoint=info:file=safepoints.log:timenanos"),
        PlantedPausesTest.class.getName(),
        "result.json");
    return JsonParser.parseString(Contract.read(folder.resolve("result.json"))).getAsJsonObject();
  }

  private record Span(long from, long to) {
    static Span of(JsonElement of) {
      long at = of.getAsJsonObject().get("at_ns").getAsLong();
      return new Span(at, at + of.getAsJsonObject().get("ns").getAsLong());
    }

    long shared(Span other) {
      return Math.max(0, Math.min(to, other.to) - Math.max(from, other.from));
    }
  }

  private static List<Span> spans(JsonElement all) {
    List<Span> spans = new ArrayList<>();
    all.getAsJsonArray().forEach(one -> spans.add(Span.of(one)));
    return spans;
  }

  /**
   * Nobody makes a step while all stand still, however busy the machine is: a pause between the
   * first and the last outlier is inside of one, unless it fell between two steps. Another try
   * where a starved machine made too few collections.
   */
  @Test
  void aPauseIsInsideOfAnOutlier() throws Exception {
    String told = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      JsonObject result = measured();
      List<Span> outliers = spans(result.getAsJsonObject("evidence").get("outliers"));
      long first = outliers.stream().mapToLong(Span::from).min().orElse(0);
      long last = outliers.stream().mapToLong(Span::to).max().orElse(0);
      List<Span> pauses =
          spans(result.getAsJsonObject("managed").get("pauses")).stream()
              .filter(one -> one.from > first && one.to < last && one.to - one.from > 2 * MS)
              .toList();
      long inside =
          pauses.stream()
              .filter(one -> outliers.stream().anyMatch(o -> 2 * o.shared(one) > one.to - one.from))
              .count();
      told = inside + " of " + pauses.size() + " in " + outliers.size() + " outliers";
      if (inside >= 3 && 2 * inside >= pauses.size()) {
        return;
      }
    }
    fail(told);
  }
}
