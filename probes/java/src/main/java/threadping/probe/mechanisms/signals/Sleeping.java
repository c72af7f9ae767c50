package threadping.probe.mechanisms.signals;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import threadping.Signal;
import threadping.probe.engine.Param;
import threadping.probe.platform.Words;

/** Signals whose awaiter sleeps by what Java has for it. */
final class Sleeping {
  private Sleeping() {}

  /**
   * A ReentrantLock and its Condition, signalled while the lock is held; a pair has one lock and
   * two Conditions, as the published locked signalling ("Locks &amp; Condition Variables - Latency
   * Impact", 2011).
   *
   * <p>The write that must be seen is the number; the lock orders it. {@code signal} wakes nobody
   * yet: the waiter is moved to those who want the lock, and is unparked at the release. Whether it
   * sleeps is the scheduler's choice: what is measured is mostly the wake-up of an idle CPU.
   */
  static final class Condition extends SignalInWord {
    private final ReentrantLock lock;
    private final java.util.concurrent.locks.Condition changed;

    /** Null is the first of a pair, or the only one. */
    Condition(long word, Signal first) {
      super(word);
      this.lock = first == null ? new ReentrantLock() : ((Condition) first).lock;
      this.changed = lock.newCondition();
    }

    @Override
    public void publish(long n) {
      lock.lock();
      try {
        Words.setOpaque(word, n);
        changed.signal();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long await(long n) throws InterruptedException {
      lock.lock();
      try {
        long seen;
        while ((seen = Words.getOpaque(word)) < n) {
          changed.await();
        }
        return seen;
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * What every Java object can do, and the published call ("What a notify call costs", 2015):
   * {@code synchronized}, {@code wait} and {@code notify}. A pair has one monitor, and so one wait
   * set: at most one of its threads waits at a time, so that {@code notify} wakes the right one.
   *
   * <p>The write that must be seen is the number; the monitor orders it. {@code notify} wakes
   * nobody yet: HotSpot moves the waiter to those who want the monitor, and wakes it at the
   * release.
   */
  static final class MonitorSignal extends SignalInWord {
    private final Object monitor;

    /** Null is the first of a pair, or the only one. */
    MonitorSignal(long word, Signal first) {
      super(word);
      this.monitor = first == null ? this : first;
    }

    @Override
    public void publish(long n) {
      synchronized (monitor) {
        Words.setOpaque(word, n);
        monitor.notify();
      }
    }

    @Override
    public long await(long n) throws InterruptedException {
      synchronized (monitor) {
        long seen;
        while ((seen = Words.getOpaque(word)) < n) {
          monitor.wait();
        }
        return seen;
      }
    }

    @Override
    public void stop() {
      synchronized (monitor) {
        Words.setOpaque(word, STOPPED);
        monitor.notifyAll();
      }
    }
  }

  /**
   * The awaiter parks until the number has come; the publisher unparks it each time, asleep or not.
   *
   * <p>The write that must be seen is the number. The awaiter names itself before it polls, and the
   * publisher stores before it reads that name, both sequentially consistent: so the awaiter sees
   * the number, or the publisher sees whom to wake. A permit that comes too early costs another
   * look.
   */
  static final class Park extends SignalInWord {
    private volatile Thread awaiter;

    Park(long word) {
      super(word);
    }

    @Override
    public void publish(long n) {
      Words.setVolatile(word, n);
      LockSupport.unpark(awaiter);
    }

    @Override
    public long await(long n) {
      Thread current = Thread.currentThread();
      if (awaiter != current) {
        awaiter = current;
      }
      long seen;
      while ((seen = Words.getVolatile(word)) < n) {
        LockSupport.park(this);
      }
      return seen;
    }
  }

  /**
   * Spins for a while, then says that it sleeps and parks; the publisher unparks only an awaiter
   * that has said so.
   *
   * <p>The write that must be seen is the number. The awaiter stores that it sleeps and then polls
   * once more; the publisher stores the number and then reads whether somebody sleeps. Both in
   * sequentially consistent order, so that at least one sees the other's store: the awaiter does
   * not sleep, or the publisher wakes it.
   */
  static final class SpinThenPark extends SignalInWord {
    /** How often it polls, with a load and a PAUSE, before it parks. */
    static final Param SPINS = Param.number("spins", 1000, 0, 1_000_000_000);

    private final long spins;

    /** The awaiter, while it sleeps. */
    private volatile Thread awaiter;

    SpinThenPark(long word, long spins) {
      super(word);
      this.spins = spins;
    }

    @Override
    public void publish(long n) {
      Words.setVolatile(word, n);
      Thread asleep = awaiter;
      if (asleep != null) {
        LockSupport.unpark(asleep);
      }
    }

    @Override
    public long await(long n) {
      long place = word; // a local: a field would be read again after every poll
      long seen;
      for (long left = spins; left > 0; left--) {
        if ((seen = Words.getVolatile(place)) >= n) {
          return seen;
        }
        Thread.onSpinWait();
      }
      return park(n);
    }

    private long park(long n) {
      awaiter = Thread.currentThread();
      long seen;
      while ((seen = Words.getVolatile(word)) < n) {
        LockSupport.park(this);
      }
      awaiter = null;
      return seen;
    }
  }

  /**
   * A semaphore (java.util.concurrent) that gets a permit with each number.
   *
   * <p>The write that must be seen is the number, which the semaphore orders. The awaiter always
   * takes a permit before it polls. It cannot take in vain: an awaiter that took the permit of n
   * has seen n, and while it has not, the permit is there, or about to be given.
   */
  static final class Semaphore extends SignalInWord {
    private final java.util.concurrent.Semaphore numbers = new java.util.concurrent.Semaphore(0);

    Semaphore(long word) {
      super(word);
    }

    @Override
    public void publish(long n) {
      Words.setRelease(word, n);
      numbers.release();
    }

    @Override
    public long await(long n) throws InterruptedException {
      long seen = Words.getAcquire(word);
      if (seen >= STOPPED) {
        return seen; // there are permits for those who wait then, and not for all who come later
      }
      do {
        numbers.acquire();
      } while ((seen = Words.getAcquire(word)) < n);
      return seen;
    }
  }

  // ---- where publisher and awaiter meet ----

  /**
   * What queues and the exchanger carry: a signal's one message, used again and again, so that
   * nothing is allocated. Its writer writes again only after its reader has read and answered; the
   * queue, or the exchange, orders the two: it is the write that must be seen.
   */
  static final class Parcel {
    /** What the watchdog sends to a waiting thread. */
    static final Parcel STOP = new Parcel();

    static {
      STOP.number = Signal.STOPPED;
    }

    long number;
  }

  /**
   * A blocking queue that one message goes through at a time: a SynchronousQueue, in which it is
   * handed over only when both threads have come, the first to come spins for a moment and then
   * parks, and each handoff allocates a node; or an ArrayBlockingQueue that holds one message,
   * inside a ReentrantLock with two Conditions that are signalled while it is held.
   */
  static final class ThroughQueue extends SignalInWord {
    private final BlockingQueue<Parcel> queue;
    private final Parcel message = new Parcel();

    ThroughQueue(long word, BlockingQueue<Parcel> queue) {
      super(word);
      this.queue = queue;
    }

    @Override
    public void publish(long n) throws InterruptedException {
      message.number = n;
      queue.put(message);
      Words.setRelease(word, n);
    }

    @Override
    public long await(long n) throws InterruptedException {
      return queue.take().number;
    }

    /** Frees a publisher that waits for space or for its awaiter, and an awaiter that waits. */
    @Override
    public void stop() {
      Words.setVolatile(word, STOPPED);
      queue.poll();
      queue.offer(Parcel.STOP);
    }
  }

  /**
   * An Exchanger: the publisher brings its message, the awaiter brings nothing, and the first to
   * come spins and yields for a while and then parks.
   */
  static final class ThroughExchanger extends SignalInWord {
    private final Exchanger<Parcel> exchanger = new Exchanger<>();
    private final Parcel message = new Parcel();
    private final Parcel nothing = new Parcel();

    ThroughExchanger(long word) {
      super(word);
    }

    @Override
    public void publish(long n) throws InterruptedException {
      message.number = n;
      exchanger.exchange(message);
      Words.setRelease(word, n);
    }

    @Override
    public long await(long n) throws InterruptedException {
      return exchanger.exchange(nothing).number;
    }

    /** Meets a waiting thread; at once, or not this time. */
    @Override
    public void stop() {
      Words.setVolatile(word, STOPPED);
      try {
        exchanger.exchange(Parcel.STOP, 0, TimeUnit.NANOSECONDS);
      } catch (TimeoutException | InterruptedException nobodyWaits) {
        return;
      }
    }
  }
}
