import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;

/**
 * One producer and one consumer around a ring of numbered slots with nothing else: a cursor and a
 * sequence far from each other, each kept by the other side until it no longer suffices; a check of
 * each number, one clock pair.
 *
 * <p>{@code Ring "sequenced-ring batch=N" PRODUCER_CPU CONSUMER_CPU MESSAGES} prints what a message
 * takes on the average, from the first that is sent to the last that was taken, after ten warm-up
 * rounds of a million.
 */
final class Ring {
  private static final int WARM_UP_ROUNDS = 10;
  private static final long WARM_UP_MESSAGES = 1_000_000;
  private static final int SIZE = 65536;

  /** Words of a message, as in the C++ probe: its number, and one that is not used. */
  private static final int WORDS = 2;

  private static final VarHandle SEQUENCES = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int CURSOR = 32;
  private static final int TAKEN = 96;

  private final long[] slots = new long[WORDS * SIZE];
  private final long[] sequences = new long[128];
  private final int batch;

  private Ring(int batch) {
    this.batch = batch;
  }

  private void send(long from, long to) {
    long[] all = slots;
    long[] at = sequences;
    int each = batch;
    long roomUntil = from;
    for (long next = from; next < to; ) {
      while (next + each > roomUntil) {
        roomUntil = (long) SEQUENCES.getAcquire(at, TAKEN) + SIZE;
      }
      for (int left = each; left > 0; left--, next++) {
        all[WORDS * (int) (next & (SIZE - 1))] = next;
      }
      SEQUENCES.setRelease(at, CURSOR, next);
    }
  }

  private void take(long from, long to) {
    long[] all = slots;
    long[] at = sequences;
    for (long next = from; next < to; ) {
      long published = (long) SEQUENCES.getAcquire(at, CURSOR);
      if (published == next) {
        continue;
      }
      for (; next < published; next++) {
        if (all[WORDS * (int) (next & (SIZE - 1))] != next) {
          Standing.refuse("Message " + next + " was due.");
        }
      }
      SEQUENCES.setRelease(at, TAKEN, next);
    }
  }

  private void produce(long from, long to) {
    send(from, to);
    while ((long) SEQUENCES.getAcquire(sequences, TAKEN) < to) {
      Thread.onSpinWait();
    }
  }

  private interface Side {
    void perform(long from, long to);
  }

  private static void warmUp(Side side, long messages) {
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      side.perform(round * messages, (round + 1) * messages);
    }
  }

  public static void main(String[] words) throws InterruptedException {
    String known = "sequenced-ring batch=";
    if (!words[0].startsWith(known)) {
      throw new IllegalArgumentException("No queue " + words[0] + " here.");
    }
    int batch = Integer.parseInt(words[0].substring(known.length()));
    long messages = Long.parseLong(words[3]) / batch * batch;
    long each = WARM_UP_MESSAGES / batch * batch;
    long from = WARM_UP_ROUNDS * each;
    Ring ring = new Ring(batch);

    Thread consumer =
        new Thread(
            () -> {
              Standing.pinThisThread(words[2]);
              warmUp(ring::take, each);
              ring.take(from, from + messages);
            });
    consumer.start();
    Standing.pinThisThread(words[1]);
    warmUp(ring::produce, each);
    long start = System.nanoTime();
    ring.produce(from, from + messages);
    long took = System.nanoTime() - start;
    consumer.join();
    System.out.printf(Locale.ROOT, "operation ns: %.4f%n", took / (double) messages);
  }
}
