package threadping.probe.mechanisms.queues;

/**
 * What messages go through. It is bounded, in itself or because producers have only so many
 * messages in flight, and hands every producer's messages over in their order.
 */
public abstract class Queue {
  private volatile boolean isStopped;

  /** Where this producer sends; asked for once, by its own thread, before anything is sent. */
  public abstract Sender sender(int producer);

  /** Where this consumer takes; the same. */
  public abstract Taker taker(int consumer);

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
