package threadping.probe.waits;

/**
 * Offers the CPU to any other thread between two looks: a system call each time, but two threads on
 * one CPU take turns without waiting for a time slice to end.
 */
final class Yield implements Wait {
  @Override
  public long again(long state) {
    Thread.yield();
    return state;
  }
}
