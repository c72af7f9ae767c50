/** A volatile number, and an awaiter that keeps polling it. */
public final class VolatileSignal implements threadping.Signal {
  private volatile long number;

  public void publish(long n) { number = n; }
  public long await(long n) {
    long seen;
    while ((seen = number) < n) Thread.onSpinWait();
    return seen;
  }
  public long published() { return number; }
}
