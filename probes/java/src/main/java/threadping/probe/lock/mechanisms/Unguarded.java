package threadping.probe.lock.mechanisms;

import threadping.probe.crew.Timings;
import threadping.probe.lock.Cell;
import threadping.probe.lock.Work;

/** A counter without a lock around it. */
interface Unguarded extends Cell {
  void add(int thread);

  @Override
  default void perform(int thread, int critical) {
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    add(thread);
  }

  @Override
  default void performTimed(int thread, int critical, Timings timings, int operation) {
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    long start = System.nanoTime();
    add(thread);
    timings.set(operation, start, System.nanoTime());
  }
}
