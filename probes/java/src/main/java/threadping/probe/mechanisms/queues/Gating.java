package threadping.probe.mechanisms.queues;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/**
 * The sequences of a queue's consumers: how many messages each has taken of each producer. They
 * gate a producer that may have only a limited number of messages in flight.
 */
public final class Gating {
  private final Queue queue;
  private final int producers;
  private final int consumers;
  private final Lines sequences;

  public Gating(Queue queue, Shape shape) {
    this.queue = queue;
    this.producers = shape.producers();
    this.consumers = shape.consumers();
    this.sequences = new Lines(producers * consumers);
  }

  /** The address of this consumer's sequence of this producer. */
  public long sequence(int consumer, int producer) {
    return sequences.first(consumer * producers + producer);
  }

  /** The number of this producer's messages that every consumer has taken and read. */
  private long gatingSequence(int producer) {
    long least = Long.MAX_VALUE;
    for (int consumer = 0; consumer < consumers; consumer++) {
      least = Math.min(least, Words.getAcquire(sequence(consumer, producer)));
    }
    return least;
  }

  /**
   * Waits until a producer may have sent {@code wanted} messages: gives how many it then may, or 0
   * where the queue was stopped.
   */
  public long claim(int producer, long wanted, int inFlight) {
    Wait between = queue.wait;
    long state = between.start();
    long claimable;
    while ((claimable = gatingSequence(producer) + inFlight) < wanted) {
      if (queue.isStopped()) {
        return 0;
      }
      state = between.again(state);
    }
    return claimable;
  }

  /** All that was taken. */
  public long taken() {
    long all = 0;
    for (int each = 0; each < producers * consumers; each++) {
      all += Words.getAcquire(sequences.first(each));
    }
    return all;
  }
}
