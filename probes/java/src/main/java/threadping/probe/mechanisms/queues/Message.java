package threadping.probe.mechanisms.queues;

import java.util.Arrays;
import threadping.probe.Failure;
import threadping.probe.engine.Player;

/**
 * What a producer sends, written anew each time and never replaced: an id. What it holds is ordered
 * by the queue that it goes through. A message is as small as one with a single long, so that every
 * line that moves from one CPU to another holds as many as in a bare program; when it was sent
 * stands elsewhere.
 *
 * <p>The id says whose message it is, which one of its producer's, and whether its time is known:
 *
 * <pre>
 *   61    60 59    48 47                       1 0
 *   end |   | producer | number                  | stamped
 * </pre>
 */
public class Message {
  public static final long STAMPED = 1;

  /** From one message's id to the next one's of the same producer. */
  public static final long STEP = 2;

  private static final int PRODUCER_SHIFT = 48;
  private static final long OF_PRODUCER = (1L << PRODUCER_SHIFT) - 1;

  public long id;

  /** With room for so many words besides. */
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

  /** So many bytes it takes, headers and a reference to it included. */
  static long bytes(int payload) {
    return 32L + (payload == 0 ? 0 : 24 + (long) payload * Long.BYTES);
  }

  /** Writes the id into every word that it carries; only where there are some. */
  public final void load() {
    Arrays.fill(((Loaded) this).words, id);
  }

  /** Whether every word is as it was written; only where there are some. */
  public final boolean isWhole() {
    for (long word : ((Loaded) this).words) {
      if (word != id) {
        return false;
      }
    }
    return true;
  }

  /** The first id of a producer. */
  public static long first(int producer) {
    return (long) producer << PRODUCER_SHIFT;
  }

  /** The one after this, which is not stamped. */
  static long next(long id) {
    return (id & ~STAMPED) + STEP;
  }

  /** What a producer sends last. */
  public static long end(int producer) {
    return first(producer) | Player.END;
  }

  public static boolean isEnd(long id) {
    return (id & Player.END) != 0;
  }

  public static int producer(long id) {
    return (int) ((id & ~Player.END) >>> PRODUCER_SHIFT);
  }

  /** The how manieth of its producer's it is. */
  public static long number(long id) {
    return (id & OF_PRODUCER) >>> 1;
  }

  /** Another one came than was due. */
  public static Failure broken(long wanted, long id) {
    int producer = producer(id);
    boolean isForeign = producer != producer(wanted);
    return Failure.Code.SEQUENCE_BROKEN.failure(
        "Message %,d of producer %,d was due, but %,d%s came: one was lost, doubled or overtaken.",
        number(wanted),
        producer(wanted),
        number(id),
        isForeign ? String.format(" of producer %d", producer) : "");
  }
}
