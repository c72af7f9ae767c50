package threadping.probe.mechanisms.queues;

import threadping.probe.mechanisms.signals.Signal;

/**
 * A signal as a queue of messages that are nothing but their numbers: what is published is how many
 * were sent. It has no bound of its own.
 */
public final class ThroughSignal extends Queue {
  private final Signal signal;

  public ThroughSignal(Signal signal) {
    this.signal = signal;
  }

  @Override
  public Sender sender(int producer) {
    return (id, count) -> {
      signal.publish(Message.number(id) + count);
      return !isStopped();
    };
  }

  /** A look finds all that were sent until then. */
  @Override
  public Taker taker(int consumer) {
    return new Taker() {
      private long last = -1;

      @Override
      public long await(long place) throws InterruptedException {
        long sent = signal.await(place + 1);
        last = sent >= Signal.STOPPED ? place - 1 : sent - 1;
        return last;
      }

      @Override
      public long more(long place) {
        return last;
      }

      @Override
      public long id(long place) {
        return Message.first(0) + Message.STEP * place;
      }

      @Override
      public boolean isWhole(long place) {
        return true; // it carries nothing else
      }

      @Override
      public void release(long place) {}

      @Override
      public boolean isEmpty(long place) {
        return signal.published() <= place;
      }
    };
  }

  @Override
  protected void endWaits() {
    signal.stop();
  }
}
