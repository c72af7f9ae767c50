package threadping.probe.mechanisms.barriers;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;
import java.util.function.IntFunction;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/** Every barrier: a new one is a class and a line here. */
public final class Barriers {
  /** One of them, made for a number of workers. */
  public record Entry(String name, boolean blocking, IntFunction<Barrier> maker) {}

  public static final List<Entry> ALL =
      List.of(
          new Entry("cyclic-barrier", true, Cyclic::new),
          new Entry("count-down-latch", true, Latches::new),
          new Entry("phaser", true, Phases::new),
          new Entry("monitor-all", true, MonitorAll::new),
          new Entry("spin-barrier", false, SpinBarrier::new),
          new Entry("fixed-thread-pool", true, Pool::fixed),
          new Entry("fork-join-pool", true, Pool::forkJoin));

  private Barriers() {}

  /**
   * A barrier of all threads, the coordinator among them, passed twice a round: by those who are
   * released, and by those who have done their part.
   */
  abstract static class Meeting extends LinePair implements Barrier {
    volatile boolean stopped;

    /** Returns when all have called it, or it was stopped. */
    abstract void meet() throws InterruptedException;

    @Override
    public final void release(long round) throws InterruptedException {
      meet();
    }

    @Override
    public final void await(int worker, long round) throws InterruptedException {
      meet();
    }

    @Override
    public final void arrive(int worker, long round) throws InterruptedException {
      meet();
    }

    @Override
    public final void join(long round) throws InterruptedException {
      meet();
    }
  }

  /** A lock and a condition, at which all but the last wait. */
  private static final class Cyclic extends Meeting {
    private final CyclicBarrier barrier;

    Cyclic(int workers) {
      barrier = new CyclicBarrier(workers + 1);
    }

    @Override
    void meet() throws InterruptedException {
      if (stopped) {
        return;
      }
      try {
        barrier.await();
      } catch (BrokenBarrierException ended) {
        stopped = true; // nobody breaks it but stop()
      }
    }

    /** Who comes to it between the two finds it whole again, and is released the next time. */
    @Override
    public void stop() {
      stopped = true;
      barrier.reset();
    }
  }

  /** A word of state that all count down by compare-and-swap; the others spin, and then park. */
  private static final class Phases extends Meeting {
    private final Phaser phaser;

    Phases(int workers) {
      phaser = new Phaser(workers + 1);
    }

    @Override
    void meet() {
      phaser.arriveAndAwaitAdvance();
    }

    @Override
    public void stop() {
      phaser.forceTermination();
    }
  }

  /**
   * A counter and a sense (Mellor-Crummey and Scott, 1991, "A sense-reversing centralized
   * barrier"), as C++ has it: all count down, and the last begins the next episode, for which all
   * others spin. The write that must be seen is the episode: each counts down with what it wrote,
   * the last sees all of that, and its release store of the next episode hands it to all.
   */
  private static final class SpinBarrier extends Meeting {
    private static final int LOOKS_A_YIELD = 64;

    private final long threads;
    private final long missing;
    private final long episode;
    private boolean isCrowded;

    SpinBarrier(int workers) {
      Lines lines = new Lines(1);
      threads = workers + 1L;
      missing = lines.first(0);
      episode = lines.second(0);
      Words.set(missing, threads);
    }

    @Override
    void meet() {
      long mine = Words.getOpaque(episode);
      if (Words.getAndAdd(missing, -1) == 1) {
        Words.setOpaque(missing, threads);
        Words.setRelease(episode, mine + 1);
        return;
      }
      for (int looks = 1; Words.getAcquire(episode) == mine && !stopped; looks++) {
        Thread.onSpinWait();
        if (isCrowded && looks % LOOKS_A_YIELD == 0) {
          Thread.yield();
        }
      }
    }

    @Override
    public void stop() {
      stopped = true;
    }

    @Override
    public void shareCpus() {
      isCrowded = true;
    }
  }

  /**
   * Single-use counters, made anew for each round: one that opens to all workers, and one that they
   * count down. That of a round is made while nobody uses those of two rounds before: a worker that
   * has awaited the last one has left them.
   */
  private static final class Latches implements Barrier {
    private final int workers;
    private final CountDownLatch[] go = new CountDownLatch[3];
    private final CountDownLatch[] done = new CountDownLatch[3];
    private volatile boolean stopped;

    Latches(int workers) {
      this.workers = workers;
      for (int round = 0; round < go.length; round++) {
        renew(round);
      }
    }

    private void renew(long round) {
      go[of(round)] = new CountDownLatch(stopped ? 0 : 1);
      done[of(round)] = new CountDownLatch(stopped ? 0 : workers);
    }

    private int of(long round) {
      return (int) (round % go.length);
    }

    @Override
    public void release(long round) {
      if (round > 1) {
        renew(round + 1);
      }
      go[of(round)].countDown();
    }

    @Override
    public void await(int worker, long round) throws InterruptedException {
      go[of(round)].await();
    }

    @Override
    public void arrive(int worker, long round) {
      done[of(round)].countDown();
    }

    @Override
    public void join(long round) throws InterruptedException {
      done[of(round)].await();
    }

    @Override
    public void stop() {
      stopped = true;
      Arrays.stream(go).forEach(CountDownLatch::countDown);
      for (CountDownLatch each : done) {
        while (each.getCount() > 0) {
          each.countDown();
        }
      }
    }
  }

  /**
   * A monitor at which all workers wait for the round, woken by one notifyAll, and another at which
   * the coordinator waits for the last of them: in one, a notify for the coordinator might wake a
   * worker that waits for the next round already.
   */
  private static final class MonitorAll extends LinePair implements Barrier {
    private final int workers;
    private final Object gate = new Object();
    private final Object allDone = new Object();
    private long round;
    private long arrived;
    private volatile boolean stopped;

    MonitorAll(int workers) {
      this.workers = workers;
    }

    @Override
    public void release(long round) {
      synchronized (gate) {
        this.round = round;
        gate.notifyAll();
      }
    }

    @Override
    public void await(int worker, long round) throws InterruptedException {
      synchronized (gate) {
        while (this.round < round && !stopped) {
          gate.wait();
        }
      }
    }

    @Override
    public void arrive(int worker, long round) {
      synchronized (allDone) {
        if (++arrived >= round * workers) {
          allDone.notify();
        }
      }
    }

    @Override
    public void join(long round) throws InterruptedException {
      synchronized (allDone) {
        while (arrived < round * workers && !stopped) {
          allDone.wait();
        }
      }
    }

    @Override
    public void stop() {
      stopped = true;
      synchronized (gate) {
        gate.notifyAll();
      }
      synchronized (allDone) {
        allDone.notifyAll();
      }
    }
  }
}
