package threadping.probe.waits;

import java.util.concurrent.locks.LockSupport;

/**
 * Sleeps for so long between two looks, by default as Agrona's SleepingIdleStrategy: little CPU
 * time, and a latency of which the timer decides.
 */
final class Sleep implements Wait {
  private final long ns;

  Sleep(long ns) {
    this.ns = ns;
  }

  @Override
  public long again(long state) {
    LockSupport.parkNanos(ns);
    return state;
  }
}
