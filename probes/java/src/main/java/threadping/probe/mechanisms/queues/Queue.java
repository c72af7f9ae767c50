package threadping.probe.mechanisms.queues;

import threadping.probe.platform.LinePair;
import threadping.probe.waits.Wait;

/**
 * A way for producers to send messages to consumers: bounded, in itself or because producers have a
 * limited number of messages in flight, and every producer's messages stay in their order. A queue
 * says how one polls whether there is space, or a message; the waits around that are the same for
 * all.
 */
public abstract class Queue {
  final Wait wait;

  /**
   * Of each producer when messages were sent, by their number; null where that travels with them.
   */
  private final long[][] sentNs;

  private volatile boolean isStopped;

  /** Whose messages hold the time at which they were sent. */
  protected Queue(Wait wait) {
    this.wait = wait;
    this.sentNs = null;
  }

  /** Whose messages are as small as those of a bare program. */
  protected Queue(Wait wait, Shape shape) {
    this.wait = wait;
    this.sentNs = new long[shape.producers()][shape.pooled()];
  }

  /** Where this producer sends; asked for once, by its own thread, before anything is sent. */
  public abstract Sender sender(int producer);

  /** Where this consumer takes; the same. */
  public abstract Taker taker(int consumer);

  /** Ends every wait in here. May be called by any thread at any time, again and again. */
  public final void stop() {
    isStopped = true;
    endWaits();
  }

  /** Ends those waits that do not poll {@link #isStopped}. */
  protected void endWaits() {}

  public final boolean isStopped() {
    return isStopped;
  }

  /** Where one producer sends, and what it keeps for that. */
  public abstract static class Sender extends LinePair {
    private final Queue queue;
    private final Wait wait;

    protected Sender(Queue queue) {
      this.queue = queue;
      this.wait = queue.wait;
    }

    /**
     * Publishes {@code count} messages at once. The first has this id, and the others those that
     * follow ({@link Message#next}); false if there is no space for them. One that waits for space
     * in its own way is false only where it was stopped.
     */
    public abstract boolean trySend(long id, int count) throws InterruptedException;

    /** Like trySend, but waits for space; false if the queue was stopped. */
    public final boolean send(long id, int count) throws InterruptedException {
      Wait between = wait;
      long state = between.start();
      while (!trySend(id, count)) {
        if (queue.isStopped()) {
          return false;
        }
        state = between.again(state);
      }
      return true;
    }

    /**
     * When the stamped message of this id is sent, which comes next. Ordered by the queue, as the
     * message is.
     */
    public void stamp(long id, long nowNs) {
      long[] all = queue.sentNs[Message.producer(id)];
      all[(int) Message.number(id) & all.length - 1] = nowNs;
    }

    /**
     * For a loop, in whose registers it is, if it never leaves that: a field of this one would be
     * read and written again for every message.
     */
    public Sender copy() {
      return this;
    }

    /** Keeps what a copy has come to. */
    public void keep(Sender copy) {}
  }

  /** Where one consumer takes, and what it keeps for that. */
  public abstract static class Taker extends LinePair {
    private final Queue queue;
    private final Wait wait;

    /** Whether the latest take found nothing at first. */
    protected boolean foundNone;

    protected Taker(Queue queue) {
      this.queue = queue;
      this.wait = queue.wait;
    }

    /**
     * Has {@code handler} handle the messages that are there, up to a maximum, and gives how many
     * there were: what was published, or one by one until none is found.
     */
    protected abstract long tryTake(long most, Handler handler) throws InterruptedException;

    /** Like tryTake, but waits for at least one; 0 if the queue was stopped. */
    public final long take(long most, Handler handler) throws InterruptedException {
      Wait between = wait;
      long state = between.start();
      long taken;
      foundNone = false;
      while ((taken = tryTake(most, handler)) == 0 && !queue.isStopped()) {
        foundNone = true;
        state = between.again(state);
      }
      return taken;
    }

    /** When the stamped message of this id was sent, which is in this place. */
    public long sentNs(long id, long place) {
      long[] all = queue.sentNs[Message.producer(id)];
      return all[(int) Message.number(id) & all.length - 1];
    }

    /** Whether nobody queued for the taker before its latest take. */
    public final boolean foundNone() {
      return foundNone;
    }
  }
}
