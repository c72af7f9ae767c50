package threadping.probe.mechanisms.locks;

import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;

/** A counter without a lock around it. */
public interface Counter extends Cell {
  /** Adds one; returns what was there before. */
  long add(int thread);

  @Override
  default long perform(int thread, int critical) {
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    return add(thread);
  }

  @Override
  default long performTimed(int thread, int critical, Samples samples) {
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    long start = System.nanoTime();
    long seen = add(thread);
    samples.add(start, System.nanoTime());
    return seen;
  }
}
