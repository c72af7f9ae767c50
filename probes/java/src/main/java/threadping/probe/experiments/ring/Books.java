package threadping.probe.experiments.ring;

import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/** What producers and consumers of one queue tell each other beside it, each on its own line. */
final class Books {
  private final int producers;
  private final int consumers;

  /** Of each producer what it sent, and then of each consumer what it took of each. */
  private final Lines lines;

  /** Of each producer when messages were sent, by their number; as many as can be under way. */
  private final long[][] sentNs;

  private final int mask;

  Books(Shape shape) {
    this.producers = shape.producers();
    this.consumers = shape.consumers();
    this.lines = new Lines(producers * (1 + consumers));
    this.sentNs = new long[producers][shape.pooled()];
    this.mask = shape.pooled() - 1;
    for (int each = 0; each < producers * (1 + consumers); each++) {
      Words.setRelease(lines.first(each), Message.first(each % producers));
    }
  }

  /** Where this producer tells the id of its next message, a run behind at most. */
  long sent(int producer) {
    return lines.first(producer);
  }

  /** Where this consumer tells which id of this producer is due. */
  long taken(int consumer, int producer) {
    return lines.first(producers * (1 + consumer) + producer);
  }

  /** Ordered by the queue, as the message is. */
  void stamp(long id, long nowNs) {
    sentNs[Message.producer(id)][(int) Message.number(id) & mask] = nowNs;
  }

  long sentNs(long id) {
    return sentNs[Message.producer(id)][(int) Message.number(id) & mask];
  }

  /** Of this producer the least that is due of any consumer. */
  long leastTaken(int producer) {
    long least = Long.MAX_VALUE;
    for (int consumer = 0; consumer < consumers; consumer++) {
      least = Math.min(least, Words.getAcquire(taken(consumer, producer)));
    }
    return least;
  }

  /** Something that grows with every message that is sent or taken. */
  long entries() {
    long all = 0;
    for (int each = 0; each < producers * (1 + consumers); each++) {
      all += Message.number(Words.getAcquire(lines.first(each)));
    }
    return all;
  }
}
