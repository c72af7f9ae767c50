package threadping.probe.ring;

/**
 * What messages go through on one line: a mechanism. It is bounded, in itself or because producers
 * have only so many messages in flight, and hands every producer's messages over in their order.
 */
public abstract class MessageQueue {
  private volatile boolean isStopped;

  /**
   * Where this producer puts in; asked for once for each, before anything is sent. What it makes
   * for that stands in the producer's own room.
   */
  public abstract Inlet inlet(int producer);

  /** Where this consumer takes out; the same. */
  public abstract Outlet outlet(int consumer);

  /** Ends every wait in here. May be called by any thread at any time, again and again. */
  public final void stop() {
    isStopped = true;
    endWaits();
  }

  /** Ends those waits that do not look at {@link #isStopped}. */
  protected void endWaits() {}

  public final boolean isStopped() {
    return isStopped;
  }
}
