/** The awaiter names itself and polls; the publisher stores and wakes whom it sees: neither misses the other. */
public final class ParkSignal implements threadping.Signal {
  private volatile long number;
  private volatile Thread awaiter;

  public void publish(long n) { number = n; java.util.concurrent.locks.LockSupport.unpark(awaiter); }
  public long await(long n) {
    awaiter = Thread.currentThread();
    while (number < n) java.util.concurrent.locks.LockSupport.park(this);
    return number;
  }
  public long published() { return number; }
  public boolean sleeps() { return true; }
}
