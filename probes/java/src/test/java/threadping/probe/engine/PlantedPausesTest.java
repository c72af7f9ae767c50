package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.fail;
import static threadping.probe.Requests.MS;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import threadping.probe.Contract;
import threadping.probe.Processes;
import threadping.probe.Requests;
import threadping.probe.contract.Request;

/**
 * Collections that are planted while something is measured are found again: as outliers, at the
 * time of a pause in the virtual machine's own log.
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

  /** The probe's process, which plants: writes its result, and when each collection was wanted. */
  public static void main(String[] files) throws IOException {
    List<byte[]> ballast = new ArrayList<>(); // what a collection has to look at
    for (int each = 0; each < 200_000; each++) {
      ballast.add(new byte[100]);
    }
    List<String> planted = new ArrayList<>();
    Thread planter =
        new Thread(
            () -> {
              while (true) {
                LockSupport.parkNanos(20 * MS);
                long before = System.nanoTime();
                System.gc();
                synchronized (planted) {
                  planted.add(before + " " + System.nanoTime());
                }
              }
            });
    planter.setDaemon(true);
    planter.start();
    byte[] result = Trial.run(request(), experiment()).json();
    synchronized (planted) {
      Files.write(Path.of(files[1]), planted);
    }
    Files.write(Path.of(files[0]), result);
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
        Request.Unit.NS,
        "Nobody steps.",
        false,
        false,
        List.of(steady));
  }

  private static Request request() {
    Request request = Requests.brief(experiment(), (Integer) null);
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
        "result.json",
        "planted");
    return JsonParser.parseString(Contract.read(folder.resolve("result.json"))).getAsJsonObject();
  }

  private record Span(long from, long to) {
    static Span of(JsonElement of) {
      long at = of.getAsJsonObject().get("at_ns").getAsLong();
      return new Span(at, at + of.getAsJsonObject().get("ns").getAsLong());
    }

    static Span of(String fromTo) {
      String[] words = fromTo.split(" ");
      return new Span(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }

    long shared(Span other) {
      return Math.max(0, Math.min(to, other.to) - Math.max(from, other.from));
    }

    boolean isHalfIn(List<Span> others) {
      return others.stream().anyMatch(other -> 2 * shared(other) >= to - from);
    }
  }

  private static List<Span> spans(JsonElement all) {
    List<Span> spans = new ArrayList<>();
    all.getAsJsonArray().forEach(one -> spans.add(Span.of(one)));
    return spans;
  }

  /** On a busy machine a step is interrupted by others too: it gets another try. */
  @Test
  void plantedCollectionsAreFoundAgain() throws Exception {
    String told = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      JsonObject result = measured();
      List<Span> pauses = spans(result.getAsJsonObject("managed").get("pauses"));
      List<Span> collections =
          Files.readAllLines(folder.resolve("planted")).stream()
              .map(Span::of)
              .collect(Collectors.toList());
      List<Span> outliers =
          spans(result.getAsJsonObject("evidence").get("outliers")).stream()
              .filter(one -> collections.stream().anyMatch(each -> each.shared(one) > 0))
              .collect(Collectors.toList());
      long explained = outliers.stream().filter(one -> one.isHalfIn(pauses)).count();
      told = explained + " of " + outliers.size() + " by " + pauses.size() + " pauses";
      if (outliers.size() >= 5 && 10 * explained >= 9 * outliers.size()) {
        return;
      }
    }
    fail(told);
  }
}
