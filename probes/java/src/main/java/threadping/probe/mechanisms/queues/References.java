package threadping.probe.mechanisms.queues;

import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import threadping.probe.waits.Wait;

/**
 * A queue that carries references, one at a time. The write that must be seen is the message's; the
 * queue orders it, by the reference's.
 */
abstract class References extends Queue {
  private final Shape shape;

  References(Shape shape) {
    this.shape = shape;
  }

  /** Waits until there is room for it; false if it was stopped. */
  abstract boolean put(Message message) throws InterruptedException;

  /** Waits for a message; null if it was stopped. */
  abstract Message take() throws InterruptedException;

  /** A message if there is one; null if not. */
  abstract Message poll();

  /**
   * A producer's messages are used again and again, so that nothing is allocated while it is
   * measured. There are more than can be under way: when the first is written again, the one after
   * it has been taken, and the consumer that took that one was done with the first.
   */
  @Override
  public final Sender sender(int producer) {
    Message[] messages = new Message[shape.pooled()];
    Arrays.setAll(messages, each -> Message.with(shape.payload()));
    boolean isLoaded = shape.payload() > 0;
    return new Sender() {
      private int next;

      @Override
      public boolean send(long id, int count) throws InterruptedException {
        Message message = messages[next++ & messages.length - 1];
        message.id = id;
        if (isLoaded) {
          message.load();
        }
        return put(message);
      }
    };
  }

  /**
   * What came out last is all that there is to be looked at; a take goes on until it is nothing.
   */
  @Override
  public final Taker taker(int consumer) {
    return new Taker() {
      private Message last;

      @Override
      public long await(long place) throws InterruptedException {
        last = take();
        return last == null ? place - 1 : place;
      }

      @Override
      public long more(long place) {
        last = poll();
        return last == null ? place - 1 : place;
      }

      @Override
      public long id(long place) {
        return last.id;
      }

      @Override
      public boolean isWhole(long place) {
        return last.isWhole();
      }

      @Override
      public void release(long place) {}

      @Override
      public boolean isEmpty(long place) {
        return last == null;
      }
    };
  }

  /**
   * One of java.util.concurrent: a producer sleeps until there is room, and the consumer until
   * there is something. What a linked queue makes for each message is the queue's own, and garbage.
   */
  static final class Blocking extends References {
    /** Wakes all sleepers when it is over. */
    private static final Message STOP = Message.with(0);

    private final BlockingQueue<Message> queue;

    Blocking(BlockingQueue<Message> queue, Shape shape) {
      super(shape);
      this.queue = queue;
    }

    @Override
    boolean put(Message message) throws InterruptedException {
      queue.put(message);
      return !isStopped(); // which makes room again and again
    }

    @Override
    Message take() throws InterruptedException {
      return isStopped() ? null : unlessStop(queue.take());
    }

    @Override
    Message poll() {
      return unlessStop(queue.poll());
    }

    private static Message unlessStop(Message message) {
      return message == STOP ? null : message;
    }

    /** Makes room for a thread that puts, and gives something to one that takes. */
    @Override
    protected void endWaits() {
      queue.clear();
      queue.offer(STOP);
    }
  }

  /**
   * A bounded one that never blocks (JCTools', Agrona's): a producer offers until there is room,
   * and the consumer polls until there is something.
   */
  static final class Polled extends References {
    private final java.util.Queue<Message> queue;
    private final Wait wait;

    Polled(java.util.Queue<Message> queue, Shape shape, Wait wait) {
      super(shape);
      this.queue = queue;
      this.wait = wait;
    }

    @Override
    boolean put(Message message) {
      return queue.offer(message) || offerAgain(message);
    }

    private boolean offerAgain(Message message) {
      long state = wait.start();
      do {
        if (isStopped()) {
          return false;
        }
        state = wait.again(state);
      } while (!queue.offer(message));
      return true;
    }

    @Override
    Message take() {
      Message message = queue.poll();
      return message != null ? message : awaited();
    }

    private Message awaited() {
      long state = wait.start();
      Message message;
      while ((message = queue.poll()) == null) {
        if (isStopped()) {
          return null;
        }
        state = wait.again(state);
      }
      return message;
    }

    @Override
    Message poll() {
      return queue.poll();
    }
  }
}
