package threadping.benchmark;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The operations of the Java probe's {@code reentrant-lock} and {@code get-and-add}, as anyone
 * would write them for JMH. The command line says how many forks and iterations, and how long they
 * are.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OneThread {
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong shared = new AtomicLong();
  private long counter;

  /** Takes the lock, adds one, and releases it. */
  @Benchmark
  public void reentrantLock() {
    lock.lock();
    try {
      ++counter;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds one. What was there before goes to JMH, as the probe looks at it: otherwise HotSpot would
   * compile an addition that does not tell it.
   */
  @Benchmark
  public long getAndAdd() {
    return shared.getAndAdd(1);
  }
}
