package threadping.probe.mechanisms.queues;

import java.util.Arrays;
import threadping.probe.Failure;

/**
 * What a producer sends, written anew each time and never replaced: an id. What it holds is ordered
 * by the queue that it goes through. A message is as small as one with a single long, so that every
 * line that moves from one CPU to another holds as many as in a bare program; its time of sending
 * is elsewhere.
 *
 * <p>An id is its producer, the number of the message among that producer's, and what is to be done
 * with it: 16, 46 and 2 bits, as in C++.
 */
public class Message implements Handler.Messages {
  /** It says when it was sent. */
  public static final long STAMPED = 1;

  /** Its consumer reports how far it has come. */
  public static final long MARKED = 2;

  public static final long MARKS = STAMPED | MARKED;

  /** From one message's id to the next one's of the same producer. */
  public static final long STEP = 4;

  private static final int PRODUCER_SHIFT = 48;

  /** The number of a producer's last message, which nothing follows. */
  private static final long END = (1L << 46) - 1;

  public long id;

  /** With {@code payload} words besides. */
  public static Message with(int payload) {
    return payload == 0 ? new Message() : new Loaded(payload);
  }

  /**
   * One that carries more. Loaded only where there are some: while a message has no subclass the
   * virtual machine makes sure with one comparison that what came out of a queue is one.
   */
  private static final class Loaded extends Message {
    final long[] words;

    private Loaded(int payload) {
      words = new long[payload];
    }
  }

  /** The bytes that it takes, headers and a reference to it included. */
  static long bytes(int payload) {
    return 32L + (payload == 0 ? 0 : 24 + (long) payload * Long.BYTES);
  }

  /** Writes the id into every word that it carries; only where there are some. */
  public final void load() {
    Arrays.fill(((Loaded) this).words, id);
  }

  /** As the only one. */
  @Override
  public final long id(long place) {
    return id;
  }

  @Override
  public final boolean isWhole(long place) {
    for (long word : ((Loaded) this).words) {
      if (word != id) {
        return false;
      }
    }
    return true;
  }

  /** The id of a producer's message of this number. */
  public static long id(int producer, long number) {
    return (long) producer << PRODUCER_SHIFT | number << 2;
  }

  /** The one after this, without marks. */
  static long next(long id) {
    return (id & ~MARKS) + STEP;
  }

  /** What a producer sends last. */
  public static long end(int producer) {
    return id(producer, END);
  }

  public static boolean isEnd(long id) {
    return number(id) == END;
  }

  public static int producer(long id) {
    return (int) (id >>> PRODUCER_SHIFT);
  }

  /** The how manieth of its producer's it is. */
  public static long number(long id) {
    return id >>> 2 & END;
  }

  /** Another one came than was due. */
  public static Failure broken(long due, long id) {
    int producer = producer(id);
    boolean isForeign = producer != producer(due);
    return Failure.Code.SEQUENCE_BROKEN.failure(
        "Message %,d of producer %,d was due, but %,d%s came: one was lost, doubled or overtaken.",
        number(due),
        producer(due),
        number(id),
        isForeign ? String.format(" of producer %d", producer) : "");
  }

  /** The words of this one are not its own. */
  public static Failure torn(long id) {
    return Failure.Code.SEQUENCE_BROKEN.failure(
        "Message %,d of producer %,d came with a payload that is not its own: it was torn or"
            + " overwritten.",
        number(id), producer(id));
  }
}
