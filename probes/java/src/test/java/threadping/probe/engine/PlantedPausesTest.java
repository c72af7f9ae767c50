package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.fail;
import static threadping.probe.TrialRequest.MS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import threadping.probe.Processes;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;

/**
 * Where the virtual machine's own log says that all its threads were stopped there is an outlier:
 * their times are by one clock.
 */
@Timeout(300)
class PlantedPausesTest {
  private static final int TRIES = 10;

  @TempDir Path folder;

  /** Operations of 0.1 ms, one by one. */
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

  private TrialResult measured() throws Exception {
    Processes.run(
        0,
        folder,
        List.of("-Xlog:safepoint=info:file=safepoints.log:timenanos"),
        PlantedPausesTest.class.getName(),
        "result.json");
    return TrialResult.of(Files.readAllBytes(folder.resolve("result.json")));
  }

  private static long shared(TrialResult.Pause one, TrialResult.Outlier other) {
    long end = Math.min(one.atNs() + one.ns(), other.atNs() + other.ns());
    return Math.max(0, end - Math.max(one.atNs(), other.atNs()));
  }

  /**
   * Nobody makes a step while all are stopped, however busy the machine is: a pause between the
   * first and the last outlier is inside of one, unless it fell between two steps. Another try
   * where a starved machine made too few collections.
   */
  @Test
  void aPauseIsInsideOfAnOutlier() throws Exception {
    String inOutliers = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      TrialResult result = measured();
      List<TrialResult.Outlier> outliers = result.evidence().outliers();
      long first = outliers.stream().mapToLong(TrialResult.Outlier::atNs).min().orElse(0);
      long last = outliers.stream().mapToLong(one -> one.atNs() + one.ns()).max().orElse(0);
      List<TrialResult.Pause> pauses =
          result.managed().pauses().stream()
              .filter(one -> one.atNs() > first && one.atNs() + one.ns() < last)
              .filter(one -> one.ns() > 2 * MS)
              .toList();
      long inside =
          pauses.stream()
              .filter(one -> outliers.stream().anyMatch(o -> 2 * shared(one, o) > one.ns()))
              .count();
      inOutliers = inside + " of " + pauses.size() + " in " + outliers.size() + " outliers";
      if (inside >= 3 && 2 * inside >= pauses.size()) {
        return;
      }
    }
    fail(inOutliers);
  }
}
