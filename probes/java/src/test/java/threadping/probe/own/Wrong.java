package threadping.probe.own;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import threadping.Lock;
import threadping.LongQueue;
import threadping.MessageQueue;
import threadping.Signal;

/** What is wrong with a user's class, one class for each way; and those that are sound. */
final class Wrong {
  private static final int AT = 100;

  /** How many tests have ended. */
  private static final AtomicInteger ENDED = new AtomicInteger();

  private Wrong() {}

  /**
   * Ends the threads that spin at what a test has left: they would do so during all later tests.
   */
  static void end() {
    ENDED.incrementAndGet();
  }

  /** What a test has made. */
  private static class Made {
    private final int before = ENDED.get();

    void endWithItsTest() {
      if (ENDED.get() != before) {
        throw new IllegalStateException("its test has ended");
      }
    }
  }

  /** For ever, of a thread that nobody wakes. */
  static synchronized void hang() {
    try {
      Wrong.class.wait();
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  // ---- queues ----

  static class SoundQueue<T> extends Made implements MessageQueue<T> {
    final int capacity;
    final ConcurrentLinkedQueue<T> queue = new ConcurrentLinkedQueue<>();
    final AtomicInteger size = new AtomicInteger();
    int polled;

    SoundQueue(int capacity) {
      this.capacity = capacity;
    }

    @Override
    public boolean offer(T message) throws InterruptedException {
      endWithItsTest();
      return size.get() < capacity && size.incrementAndGet() > 0 && queue.add(message);
    }

    @Override
    public T poll() throws InterruptedException {
      endWithItsTest();
      T message = queue.poll();
      if (message != null) {
        size.decrementAndGet();
        polled++;
      }
      return message;
    }
  }

  static final class Losing<T> extends SoundQueue<T> {
    Losing(int capacity) {
      super(capacity);
    }

    @Override
    public T poll() throws InterruptedException {
      T message = super.poll();
      return polled == AT && message != null ? super.poll() : message;
    }
  }

  static final class Doubling<T> extends SoundQueue<T> {
    private T last;
    private boolean isDoubled;

    Doubling(int capacity) {
      super(capacity);
    }

    @Override
    public T poll() throws InterruptedException {
      if (polled == AT && !isDoubled) {
        isDoubled = true;
        return last;
      }
      T message = super.poll();
      last = message == null ? last : message;
      return message;
    }
  }

  static final class Reordering<T> extends SoundQueue<T> {
    private T held;

    Reordering(int capacity) {
      super(capacity);
    }

    @Override
    public T poll() throws InterruptedException {
      if (held != null) {
        T late = held;
        held = null;
        return late;
      }
      T message = super.poll();
      if (polled == AT && message != null && (held = message) != null) {
        return super.poll();
      }
      return message;
    }
  }

  /** Its upper half is the next one's. */
  static final class Torn implements LongQueue {
    private final SoundQueue<Long> queue;

    Torn(int capacity) {
      queue = new SoundQueue<>(capacity);
    }

    @Override
    public boolean offer(long number) throws InterruptedException {
      return queue.offer(number);
    }

    @Override
    public long poll() throws InterruptedException {
      Long number = queue.poll();
      return number == null ? NONE : queue.polled == AT ? number | 1L << 40 : number;
    }
  }

  static final class StopDoesNotEndATake<T> extends SoundQueue<T> {
    StopDoesNotEndATake(int capacity) {
      super(capacity);
    }

    @Override
    public synchronized boolean offer(T message) throws InterruptedException {
      notifyAll();
      return super.offer(message);
    }

    @Override
    public synchronized T take() throws InterruptedException {
      T message;
      while ((message = super.poll()) == null) {
        wait();
      }
      return message;
    }
  }

  static final class StopDoesNotEndAnOffer<T> extends SoundQueue<T> {
    StopDoesNotEndAnOffer(int capacity) {
      super(capacity);
    }

    @Override
    public synchronized boolean offer(T message) throws InterruptedException {
      while (!super.offer(message)) {
        wait();
      }
      return true;
    }

    @Override
    public synchronized T poll() throws InterruptedException {
      notifyAll();
      return super.poll();
    }
  }

  static final class ForgettingToWake<T> extends SoundQueue<T> {
    private int offered;
    private boolean isStopped;

    ForgettingToWake(int capacity) {
      super(capacity);
    }

    @Override
    public synchronized boolean offer(T message) throws InterruptedException {
      if (++offered < AT) {
        notifyAll();
      }
      return super.offer(message);
    }

    @Override
    public synchronized T take() throws InterruptedException {
      while (size.get() == 0 && !isStopped) {
        wait();
      }
      return super.poll();
    }

    @Override
    public synchronized void stop() {
      isStopped = true;
      notifyAll();
    }
  }

  static final class HangingQueue<T> extends SoundQueue<T> {
    HangingQueue(int capacity) {
      super(capacity);
    }

    @Override
    public boolean offer(T message) throws InterruptedException {
      if (size.get() > 0 && polled > AT) {
        hang();
      }
      return super.offer(message);
    }
  }

  static final class Throwing<T> extends SoundQueue<T> {
    Throwing(int capacity) {
      super(capacity);
    }

    @Override
    public T poll() throws InterruptedException {
      if (polled == AT) {
        throw new IllegalStateException("not today");
      }
      return super.poll();
    }
  }

  static final class ThrowingStop<T> extends SoundQueue<T> {
    ThrowingStop(int capacity) {
      super(capacity);
    }

    @Override
    public void stop() {
      throw new IllegalStateException("not today");
    }
  }

  /** What ends the waits of one by Java's interface. */
  static final class ThrowingClear extends ArrayBlockingQueue<Object> {
    private static final long serialVersionUID = 1L;

    ThrowingClear(int capacity) {
      super(capacity);
    }

    @Override
    public void clear() {
      throw new IllegalStateException("not today");
    }
  }

  static final class HangingStop<T> extends SoundQueue<T> {
    HangingStop(int capacity) {
      super(capacity);
    }

    @Override
    public void stop() {
      hang();
    }
  }

  /** Where a class inherits it from none. */
  interface Hanging<T> extends MessageQueue<T> {
    @Override
    default T take() throws InterruptedException {
      for (T message = poll(); ; message = poll()) {
        if (message != null) {
          return message;
        }
        Thread.sleep(1);
      }
    }
  }

  static final class HangingByDefault<T> extends SoundQueue<T> implements Hanging<T> {
    HangingByDefault(int capacity) {
      super(capacity);
    }
  }

  static final class Boundless<T> extends SoundQueue<T> {
    Boundless(int capacity) {
      super(Integer.MAX_VALUE);
    }
  }

  /** Whatever is offered it keeps, again and again. */
  static final class Devouring<T> extends SoundQueue<T> {
    private final java.util.List<long[]> kept = new java.util.ArrayList<>();

    Devouring(int capacity) {
      super(capacity);
    }

    @Override
    public boolean offer(T message) throws InterruptedException {
      kept.add(new long[Integer.MAX_VALUE]); // more than any heap has in one piece
      return super.offer(message);
    }
  }

  // ---- signals ----

  static class SoundSignal extends Made implements Signal {
    volatile long number;

    @Override
    public void publish(long n) throws InterruptedException {
      number = n;
    }

    @Override
    public long await(long n) throws InterruptedException {
      while (number < n) {
        endWithItsTest();
        Thread.yield();
      }
      return number;
    }

    @Override
    public long published() {
      return number;
    }
  }

  static final class Early extends SoundSignal {
    @Override
    public long await(long n) throws InterruptedException {
      return n > 1 ? n - 1 : super.await(n);
    }
  }

  static final class Inventing extends SoundSignal {
    @Override
    public long await(long n) throws InterruptedException {
      return n > AT ? super.await(n) | 1L << 50 : super.await(n);
    }
  }

  static final class Sleepy extends SoundSignal {
    @Override
    public synchronized void publish(long n) throws InterruptedException {
      super.publish(n);
      if (n < AT || n >= STOPPED) {
        notifyAll();
      }
    }

    @Override
    public synchronized long await(long n) throws InterruptedException {
      while (number < n) {
        wait();
      }
      return number;
    }
  }

  static final class DeafToStop extends SoundSignal {
    @Override
    public void stop() {}
  }

  static final class Forgetful extends SoundSignal {
    @Override
    public long published() {
      return Math.min(number, AT);
    }
  }

  static final class ThrowingSignal extends SoundSignal {
    @Override
    public long published() {
      throw new IllegalStateException("not today");
    }
  }

  static final class HangingSignal extends SoundSignal {
    @Override
    public void publish(long n) throws InterruptedException {
      if (n == AT) {
        hang();
      }
      super.publish(n);
    }
  }

  // ---- locks ----

  /** Waits for another thread to have it too. */
  static final class LettingTwoIn extends Made implements Lock {
    private final AtomicInteger inside = new AtomicInteger();

    @Override
    public long acquire() {
      inside.incrementAndGet();
      while (inside.get() < 2) {
        endWithItsTest();
        Thread.yield();
      }
      return 0;
    }

    @Override
    public void release(long stamp) {
      inside.decrementAndGet();
    }
  }

  static final class Keeping implements Lock {
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    public long acquire() {
      lock.lock();
      return 0;
    }

    @Override
    public void release(long stamp) {}
  }

  static final class ThrowingLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    @Override
    public void unlock() {
      throw new IllegalMonitorStateException("whose is it?");
    }
  }
}
