package threadping.probe.toy;

import java.util.List;
import java.util.Map;
import threadping.probe.crew.Experiment;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Timings;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * What an experiment costs to write: two threads, each of which adds to a counter on its own line.
 * It starts no thread and writes no JSON.
 */
public final class Toy {
  private static final List<Mechanism> MECHANISMS =
      List.of(
          mechanism("store-add", Adds.STORE)
              .saying("Loads, adds and stores.", "A store; for a single writer."),
          mechanism("locked-add", Adds.LOCKED)
              .saying("Adds in one locked instruction.", "A locked instruction."));

  private Toy() {}

  /** Windows in ns are led from outside, windows in ops by the first thread. */
  public static Experiment experiment(Request.Unit windows) {
    return new Experiment(
        "toy", List.of("left", "right"), 2, 2, windows, "Nobody adds any more.", MECHANISMS);
  }

  private static Mechanism mechanism(String name, Adds adds) {
    return new Mechanism(
        name,
        false,
        List.of("increment"),
        1,
        List.of(),
        (params, lines, threads) -> new Adding(adds, lines));
  }

  private static final class Adding implements Loops {
    private final Adds adds;
    private final int count;
    private final Lines lines;

    Adding(Adds adds, int count) {
      this.adds = adds;
      this.count = count;
      this.lines = new Lines(count);
    }

    @Override
    public int plain(int thread, int line, int operations) {
      long counter = lines.pair(line, thread);
      for (int left = operations; left > 0; left--) {
        adds.add(counter);
      }
      return operations;
    }

    @Override
    public int timed(int thread, int line, long openedNs, Timings timings, int operations) {
      long counter = lines.pair(line, thread);
      for (int done = 0; done < operations; done++) {
        long start = System.nanoTime();
        adds.add(counter);
        timings.set(done, start, System.nanoTime());
      }
      return operations;
    }

    @Override
    public long progress(int line) {
      return Words.getAcquire(lines.first(line)) + Words.getAcquire(lines.second(line));
    }

    @Override
    public Map<String, Result.Held> counts(long made) {
      long found = 0;
      for (int line = 0; line < count; line++) {
        found += progress(line);
      }
      return Map.of("increments", new Result.Held(made, found, true));
    }

    @Override
    public long memory() {
      return lines.start();
    }
  }
}
