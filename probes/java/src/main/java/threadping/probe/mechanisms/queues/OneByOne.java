package threadping.probe.mechanisms.queues;

import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/**
 * A queue of a library, which takes one reference at a time and gives one. The write that must be
 * seen is the message's; the queue orders it, by the reference's.
 */
public class OneByOne extends Queue {
  private final Shape shape;
  private final java.util.Queue<Message> queue;

  /** A bounded one that never blocks, such as JCTools' and Agrona's. */
  public OneByOne(java.util.Queue<Message> queue, Shape shape, Wait wait) {
    super(wait, shape);
    this.shape = shape;
    this.queue = queue;
  }

  /** One that overrides how a message goes in and comes out. */
  protected OneByOne(Shape shape, Wait wait) {
    this(null, shape, wait);
  }

  /** False if the queue is full. */
  protected boolean push(Message message) throws InterruptedException {
    return queue.offer(message);
  }

  /** Null if there is none. */
  protected Message pop() throws InterruptedException {
    return queue.poll();
  }

  /** Where none was found, of a queue that waits in its own way; null if it was stopped. */
  protected Message await() throws InterruptedException {
    return null;
  }

  @Override
  public final Queue.Sender sender(int producer) {
    return new ReferenceSender();
  }

  @Override
  public final Queue.Taker taker(int consumer) {
    return new ReferenceTaker();
  }

  /**
   * Its messages are used again and again, so that nothing is allocated while it is measured. There
   * are more than can be under way: when the first is written again, the one after it has been
   * taken, and the consumer that took that one was done with the first.
   */
  private final class ReferenceSender extends Queue.Sender {
    private final Message[] messages = new Message[shape.pooled()];
    private final boolean isLoaded = shape.payload() > 0;
    private int next;

    ReferenceSender() {
      super(OneByOne.this);
      Arrays.setAll(messages, each -> Message.with(shape.payload()));
    }

    @Override
    public boolean trySend(long id, int count) throws InterruptedException {
      Message message = messages[next & messages.length - 1];
      message.id = id;
      if (isLoaded) {
        message.load();
      }
      if (!push(message)) {
        return false;
      }
      next++;
      return true;
    }
  }

  private final class ReferenceTaker extends Queue.Taker {
    ReferenceTaker() {
      super(OneByOne.this);
    }

    @Override
    protected long tryTake(long most, Handler handler) throws InterruptedException {
      Message message = pop();
      if (message == null) {
        foundNone = true;
        message = await();
      }
      long taken = 0;
      while (message != null) {
        handler.handle(message, taken, taken + 1);
        taken++;
        message = taken < most ? pop() : null;
      }
      return taken;
    }
  }

  /**
   * One of java.util.concurrent: a producer sleeps until there is space, and the consumer until
   * there is something. What a linked queue makes for each message is the queue's own, and garbage.
   */
  public static final class BlockingOneByOne extends OneByOne {
    /** Wakes all blocked threads when it is over. */
    private static final Message STOP = Message.with(0);

    private final BlockingQueue<Message> queue;

    public BlockingOneByOne(BlockingQueue<Message> queue, Shape shape) {
      super(queue, shape, Waits.yielding());
      this.queue = queue;
    }

    @Override
    protected boolean push(Message message) throws InterruptedException {
      queue.put(message);
      return !isStopped(); // which makes space again and again
    }

    @Override
    protected Message pop() {
      return unlessStop(queue.poll());
    }

    @Override
    protected Message await() throws InterruptedException {
      return isStopped() ? null : unlessStop(queue.take());
    }

    private static Message unlessStop(Message message) {
      return message == STOP ? null : message;
    }

    /** Makes space for a thread that puts, and gives something to one that takes. */
    @Override
    protected void endWaits() {
      queue.clear();
      queue.poll(); // of one that holds nothing
      queue.offer(STOP);
    }
  }
}
