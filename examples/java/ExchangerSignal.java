import java.util.concurrent.*;

/** Publisher and awaiter meet at an Exchanger. */
public final class ExchangerSignal implements threadping.Signal {
  private final Exchanger<Long> exchanger = new Exchanger<>();
  private volatile long number;

  public void publish(long n) throws InterruptedException { exchanger.exchange(n); number = n; }
  public long await(long n) throws InterruptedException { return exchanger.exchange(0L); }
  public long published() { return number; }
  public boolean sleeps() { return true; }
  public boolean meets() { return true; }
  public void stop() {
    number = STOPPED;
    try { exchanger.exchange(STOPPED, 0, TimeUnit.NANOSECONDS); } catch (Exception nobodyWaits) { }
  }
}
