package threadping.probe.lock.mechanisms;

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
  default long performTimed(int thread, int critical) {
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    long start = System.nanoTime();
    add(thread);
    return System.nanoTime() - start;
  }
}
