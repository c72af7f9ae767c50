package threadping.probe.toy;

import java.util.List;
import java.util.Map;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * What an experiment costs to write: two threads that each add to a counter on their own line. It
 * starts no thread and writes no JSON.
 */
public final class Toy {
  /** One that is not in contract/words.json says of itself what it does and costs. */
  private static final Mechanism ADDING =
      new Mechanism(
          "locked-add",
          false,
          List.of("increment"),
          1,
          List.of(),
          false,
          new Mechanism.Description("Adds in one locked instruction.", "A locked instruction."),
          setup -> new Adding(setup.lines(), new Lines(setup.lines())));

  private Toy() {}

  /** Windows in ns are led from outside, windows in ops by the first thread. */
  public static Experiment experiment(Experiment.Unit windows) {
    return new Experiment(
        "toy",
        List.of(new Role("left", true), new Role("right", true)),
        2,
        2,
        windows,
        "Nobody adds any more.",
        false,
        false,
        List.of(ADDING));
  }

  private record Adding(int count, Lines lines) implements Stage {
    @Override
    public int roleOf(int thread) {
      return thread;
    }

    @Override
    public Player player(int thread) {
      return (task, samples) -> run(thread, task, samples);
    }

    private int run(int thread, Task task, Samples samples) {
      long counter = lines.pair(task.line(), thread);
      for (int done = 0; done < task.count(); done++) {
        if (task.every() > 0 && done % task.every() == task.every() / 2) {
          long start = System.nanoTime();
          Words.getAndAdd(counter, 1);
          samples.add(start, System.nanoTime());
          samples.readClock(2);
        } else {
          Words.getAndAdd(counter, 1);
        }
      }
      return task.count();
    }

    @Override
    public long progress(int line) {
      return Words.getAcquire(lines.first(line)) + Words.getAcquire(lines.second(line));
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      long found = 0;
      for (int line = 0; line < count; line++) {
        found += progress(line);
      }
      return Map.of("increments", new Held(ops[0] + ops[1], found, true));
    }

    @Override
    public long memory() {
      return lines.start();
    }
  }
}
