package threadping.probe.own;

import threadping.LongQueue;
import threadping.MessageQueue;
import threadping.probe.mechanisms.queues.Handler;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.OneByOne;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.waits.Wait;

/**
 * A user's queues as the probe's: by a call for each message, which the virtual machine inlines.
 */
final class OwnQueues {
  private OwnQueues() {}

  /** One of references. */
  static final class References extends OneByOne {
    private final MessageQueue<Message> own;

    References(MessageQueue<Message> own, Shape shape, Wait wait) {
      super(shape, wait);
      this.own = own;
    }

    @Override
    protected boolean push(Message message) throws InterruptedException {
      return own.offer(message);
    }

    @Override
    protected Message pop() throws InterruptedException {
      return own.poll();
    }

    @Override
    protected Message await() throws InterruptedException {
      return isStopped() ? null : own.take();
    }

    @Override
    protected void endWaits() {
      own.stop();
    }
  }

  /** One of numbers, which are the messages' ids. */
  static final class Numbers extends Queue {
    private final LongQueue own;

    Numbers(LongQueue own, Shape shape, Wait wait) {
      super(wait, shape);
      this.own = own;
    }

    @Override
    public Queue.Sender sender(int producer) {
      return new Queue.Sender(this) {
        @Override
        public boolean trySend(long id, int count) throws InterruptedException {
          return own.offer(id);
        }
      };
    }

    @Override
    public Queue.Taker taker(int consumer) {
      return new NumberTaker(this);
    }

    @Override
    protected void endWaits() {
      own.stop();
    }

    private static final class NumberTaker extends Queue.Taker implements Handler.Messages {
      private final LongQueue own;
      private long id;

      NumberTaker(Numbers queue) {
        super(queue);
        this.own = queue.own;
      }

      @Override
      protected long tryTake(long most, Handler handler) throws InterruptedException {
        long taken = 0;
        while (taken < most && (id = own.poll()) != LongQueue.NONE) {
          handler.handle(this, taken, taken + 1);
          taken++;
        }
        return taken;
      }

      @Override
      public long id(long place) {
        return id;
      }

      @Override
      public boolean isWhole(long place) {
        return true; // it carries nothing else
      }
    }
  }
}
