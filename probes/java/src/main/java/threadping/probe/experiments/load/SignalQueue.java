package threadping.probe.experiments.load;

import threadping.Signal;
import threadping.probe.mechanisms.queues.Handler;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.waits.Waits;

/**
 * A signal as a queue of messages that are nothing but their numbers: what is published is how many
 * were sent. It has no bound of its own, and waits in its own way.
 */
final class SignalQueue extends Queue {
  private final Signal signal;

  SignalQueue(Signal signal) {
    super(Waits.yielding());
    this.signal = signal;
  }

  @Override
  public Queue.Sender sender(int producer) {
    return new Queue.Sender(this) {
      @Override
      public boolean trySend(long id, int count) throws InterruptedException {
        signal.publish(Message.number(id) + count);
        return !isStopped();
      }
    };
  }

  @Override
  public Queue.Taker taker(int consumer) {
    return new SignalTaker(this);
  }

  /** A poll finds all that were sent until then. */
  private static final class SignalTaker extends Queue.Taker implements Handler.Messages {
    private final Signal signal;
    private long taken;

    SignalTaker(SignalQueue queue) {
      super(queue);
      this.signal = queue.signal;
    }

    @Override
    protected long tryTake(long most, Handler handler) throws InterruptedException {
      long first = taken;
      long sent = signal.await(first + 1);
      if (sent >= Signal.STOPPED) {
        return 0;
      }
      handler.handle(this, 0, sent - first);
      taken = sent;
      return sent - first;
    }

    @Override
    public long id(long place) {
      return Message.id(0, taken + place);
    }

    @Override
    public boolean isWhole(long place) {
      return true; // it carries nothing else
    }
  }

  @Override
  protected void endWaits() {
    signal.stop();
  }
}
