package threadping.probe.ring;

import java.util.Arrays;

/**
 * What a producer sends, written anew each time and never replaced: an id, and a stamp if the id
 * says so. What it holds is ordered by the queue that it goes through.
 *
 * <p>The id says whose message it is, which one of its producer's, and whether it is stamped:
 *
 * <pre>
 *   63     48 47                       1 0
 *   producer | number                   | stamped
 * </pre>
 *
 * <p>Of the stamp only the lower half is kept, in the gap that the object's header leaves: a
 * message is then as small as one with a single long, and every line that moves from one CPU to
 * another holds as many. Whoever reads the stamp has the other half, unless it is three seconds
 * old.
 */
public class Message {
  static final int PRODUCER_SHIFT = 48;
  static final long STAMPED = 1;

  /** From one message's id to the next one's of the same producer. */
  static final long STEP = 2;

  private static final long OF_PRODUCER = (1L << PRODUCER_SHIFT) - 1;

  /** The last number of all: the producer leaves. */
  private static final long END = OF_PRODUCER - STAMPED;

  private static final long MOST_AHEAD_NS = 1_000_000_000;

  long id;
  private int stamp;

  /** With room for so many words besides. */
  public static Message with(int payload) {
    return payload == 0 ? new Message() : Loaded.carrying(payload);
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

    static Message carrying(int payload) {
      return new Loaded(payload);
    }
  }

  /** Says when it was sent. */
  final void stamp(long nowNs) {
    stamp = (int) nowNs;
  }

  /** Says so again: it could not be sent yet. Only if its id says that it is stamped. */
  public final void stampAnew() {
    if ((id & STAMPED) != 0) {
      stamp(System.nanoTime());
    }
  }

  /**
   * When it was sent; now at latest, though the other CPU's clock may be ahead by a second at most.
   */
  final long stampNs(long nowNs) {
    long ageNs = (int) nowNs - stamp;
    long sinceNs = ageNs < -MOST_AHEAD_NS ? ageNs + (1L << Integer.SIZE) : ageNs;
    return nowNs - Math.max(0, sinceNs);
  }

  /** Writes the id into every word that it carries; only where there are some. */
  final void load() {
    Arrays.fill(((Loaded) this).words, id);
  }

  /** Whether every word is as it was written; only where there are some. */
  final boolean isWhole() {
    for (long word : ((Loaded) this).words) {
      if (word != id) {
        return false;
      }
    }
    return true;
  }

  /** The first id of a producer. */
  static long first(int producer) {
    return (long) producer << PRODUCER_SHIFT;
  }

  static long end(int producer) {
    return first(producer) | END;
  }

  static boolean isEnd(long id) {
    return (id & OF_PRODUCER) == END;
  }

  static int producer(long id) {
    return (int) (id >>> PRODUCER_SHIFT);
  }

  /** The how manieth of its producer's it is. */
  static long number(long id) {
    return (id & OF_PRODUCER) >>> 1;
  }
}
