package threadping.probe.engine;

import java.util.Map;

/** A stage on which every thread does what a test says; by itself nothing, at once. */
public class Acting implements Stage {
  /** One run of a thread; returns how many operations it completed. */
  public int run(int thread, Task task, Samples samples) {
    for (int each = 0; each < task.count() && task.every() > 0; each += task.every()) {
      long now = System.nanoTime();
      samples.add(now, now + 1);
      samples.readClock(2);
    }
    return task.count();
  }

  /** A thread leaves a line; returns how many operations it completed meanwhile. */
  public int leave(int thread, int line) {
    return 0;
  }

  @Override
  public int roleOf(int thread) {
    return thread;
  }

  @Override
  public final Player player(int thread) {
    return new Player() {
      @Override
      public int run(Task task, Samples samples) {
        return Acting.this.run(thread, task, samples);
      }

      @Override
      public int leave(int line, Samples samples) {
        return Acting.this.leave(thread, line);
      }
    };
  }

  @Override
  public Map<String, Held> counts(long[] ops) {
    return Map.of();
  }
}
