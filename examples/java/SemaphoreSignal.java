import java.util.concurrent.Semaphore;

/** A permit for each number that is published. */
public final class SemaphoreSignal implements threadping.Signal {
  private final Semaphore numbers = new Semaphore(0);
  private volatile long number;

  public void publish(long n) { number = n; numbers.release(); }
  public long await(long n) throws InterruptedException {
    while (number < n) numbers.acquire();
    return number;
  }
  public long published() { return number; }
  public boolean sleeps() { return true; }
}
