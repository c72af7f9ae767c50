package threadping.probe.mechanisms.queues;

import threadping.probe.platform.LinePair;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/**
 * Our own ring after the published description of the Disruptor (Thompson and others, "Disruptor:
 * High performance alternative to bounded queues for exchanging data between concurrent threads",
 * 2011), the same as the C++ probe's: slots that are used again and again, numbered for ever; one
 * producer, which publishes how far it has come (the cursor), and consumers that each see
 * everything, each of which publishes how far it has come (its sequence). Nobody writes what
 * another writes; each asks for another's number only where the copy that it keeps no longer
 * suffices.
 *
 * <p>Slots stand outside the heap and hold messages by value: an id, the time at which it was sent,
 * and the words that it carries. The writes that must be seen are the messages, by every consumer:
 * all before the one store of the cursor, which releases them. What must be seen by the producer is
 * that the messages have been read: the store of the sequence releases these reads.
 */
final class SequencedRing extends Queue {
  /** In a slot, behind the id: when it was sent, and its words. */
  private static final int SENT = Long.BYTES;

  private static final int WORDS = 2 * Long.BYTES;

  private final Wait wait;
  private final int size;
  private final int consumers;
  private final int payload;

  /**
   * The slots are of 16, 64 or 1,024 bytes, as in C++: the smallest in which a message has room.
   */
  private final int shift;

  private final long slots;

  /** Where the cursor stands, and behind it each consumer's sequence. */
  private final Lines numbers;

  SequencedRing(Shape shape, Wait wait) {
    this.wait = wait;
    this.size = shape.size();
    this.consumers = shape.consumers();
    this.payload = shape.payload();
    this.shift = payload == 0 ? 4 : payload <= 6 ? 6 : 10;
    long bytes = (long) size << shift;
    int linePairs = (int) ((bytes + Lines.LINE_PAIR - 1) / Lines.LINE_PAIR);
    this.slots = new Lines(1, linePairs).first(0);
    this.numbers = new Lines(1 + consumers);
  }

  private long cursor() {
    return numbers.first(0);
  }

  private long sequence(int consumer) {
    return numbers.first(1 + consumer);
  }

  @Override
  public Sender sender(int producer) {
    return new Publisher(this);
  }

  @Override
  public Taker taker(int consumer) {
    return new Reader(this, consumer);
  }

  /** How far the slowest consumer has come. With acquire: it has read what is overwritten next. */
  private long slowest() {
    long least = Long.MAX_VALUE;
    for (int consumer = 0; consumer < consumers; consumer++) {
      least = Math.min(least, Words.getAcquire(sequence(consumer)));
    }
    return least;
  }

  /** The producer's part. */
  private static final class Publisher extends LinePair implements Sender {
    private final SequencedRing ring;
    private final long slots;
    private final int shift;
    private final long mask;
    private final long cursor;
    private final int payload;

    /** From here on it writes, and up to there it may. */
    private long next;

    private long roomUntil;

    private long sentNs;

    Publisher(SequencedRing ring) {
      this.ring = ring;
      this.slots = ring.slots;
      this.shift = ring.shift;
      this.mask = ring.size - 1L;
      this.cursor = ring.cursor();
      this.payload = ring.payload;
      this.roomUntil = ring.size;
    }

    @Override
    public boolean takesAlong(long sentNs) {
      this.sentNs = sentNs;
      return true;
    }

    @Override
    public boolean send(long id, int count) {
      long first = next;
      long end = first + count;
      if (end > roomUntil && !awaitRoom(end)) {
        return false;
      }
      long slot = slots + ((first & mask) << shift);
      Words.set(slot, id);
      if ((id & Message.STAMPED) != 0) {
        Words.set(slot + SENT, sentNs);
      }
      write(slots, mask, shift, first + 1, end, Message.next(id));
      if (payload > 0) {
        load(first, end);
      }
      next = end;
      Words.setRelease(cursor, end);
      return true;
    }

    /** Writes ids from the first on. A loop of its own, in which nothing is called. */
    private static void write(
        long slots, long mask, int shift, long first, long end, long firstId) {
      long id = firstId;
      for (long place = first; place < end; place++) {
        Words.set(slots + ((place & mask) << shift), id);
        id += Message.STEP;
      }
    }

    private void load(long first, long end) {
      for (long place = first; place < end; place++) {
        long slot = slots + ((place & mask) << shift);
        for (int word = 0; word < payload; word++) {
          Words.set(slot + WORDS + (long) word * Long.BYTES, Words.get(slot));
        }
      }
    }

    private boolean awaitRoom(long end) {
      Wait between = ring.wait;
      long state = between.start();
      while (end > (roomUntil = ring.slowest() + ring.size)) {
        if (ring.isStopped()) {
          return false;
        }
        state = between.again(state);
      }
      return true;
    }
  }

  /** One consumer's part. */
  private static final class Reader extends LinePair implements Taker {
    private final SequencedRing ring;
    private final long slots;
    private final int shift;
    private final long mask;
    private final long cursor;
    private final long sequence;
    private final int payload;

    /** The last place in which there is a message, as far as it knows. */
    private long published = -1;

    Reader(SequencedRing ring, int consumer) {
      this.ring = ring;
      this.slots = ring.slots;
      this.shift = ring.shift;
      this.mask = ring.size - 1L;
      this.cursor = ring.cursor();
      this.sequence = ring.sequence(consumer);
      this.payload = ring.payload;
    }

    @Override
    public long await(long place) {
      if (published < place) {
        published = awaitPublished(place);
      }
      return published;
    }

    private long awaitPublished(long place) {
      long at = cursor; // locals: fields would be read again after every look
      Wait between = ring.wait;
      long state = between.start();
      long last;
      while ((last = Words.getAcquire(at) - 1) < place) {
        if (ring.isStopped()) {
          return last;
        }
        state = between.again(state);
      }
      return last;
    }

    /** It took all that was published. */
    @Override
    public long more(long place) {
      return published;
    }

    @Override
    public long id(long place) {
      return Words.get(slots + ((place & mask) << shift));
    }

    @Override
    public long sentNs(long place) {
      return Words.get(slots + ((place & mask) << shift) + SENT);
    }

    @Override
    public boolean isWhole(long place) {
      long slot = slots + ((place & mask) << shift);
      long id = Words.get(slot);
      for (int word = 0; word < payload; word++) {
        if (Words.get(slot + WORDS + (long) word * Long.BYTES) != id) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void release(long place) {
      Words.setRelease(sequence, place);
    }

    @Override
    public boolean isEmpty(long place) {
      return Words.getAcquire(cursor) <= place;
    }
  }
}
