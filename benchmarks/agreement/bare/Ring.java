import java.util.Locale;

/**
 * One producer and one consumer around a ring of numbered slots with nothing else: a cursor and a
 * sequence far from each other, each kept by the other side until it no longer suffices; a check of
 * each number, one clock pair.
 *
 * <p>{@code Ring "sequenced-ring batch=N producer-work=STEPS" PRODUCER_CPU CONSUMER_CPU MESSAGES}
 * prints what a message takes on the average, from the first that is sent to the last that was
 * taken, after ten warm-up rounds of a million, or of as many as that together. The producer takes
 * STEPS steps before each batch; {@code producer-work=STEPS} is optional.
 */
final class Ring {
  private static final int WARM_UP_ROUNDS = 10;
  private static final long WARM_UP_MESSAGES = 1_000_000;
  private static final int SIZE = 65536;

  /** Bytes of a message, as in the C++ probe: its number, and a word that is not used. */
  private static final int MESSAGE = 2 * Memory.WORD;

  private final long slots = Memory.pages((long) SIZE * MESSAGE);
  private final long cursor = Memory.pages(2 * Memory.PAGE);
  private final long taken = cursor + Memory.PAGE;
  private final int batch;
  private final int steps;

  /** What the producer's steps came to, or they would be left out. */
  private static volatile long result;

  private Ring(int batch, int steps) {
    this.batch = batch;
    this.steps = steps;
  }

  private static long slot(long all, long number) {
    return all + (number & (SIZE - 1)) * MESSAGE;
  }

  private void send(long from, long to) {
    long all = slots;
    int each = batch;
    int before = steps;
    long chain = 1;
    long roomUntil = from;
    for (long next = from; next < to; ) {
      chain = Steps.take(chain, before);
      while (next + each > roomUntil) {
        roomUntil = Memory.WORDS.getLongVolatile(null, taken) + SIZE;
      }
      for (int left = each; left > 0; left--, next++) {
        Memory.WORDS.putLong(slot(all, next), next);
      }
      Memory.WORDS.putOrderedLong(null, cursor, next);
    }
    result = chain;
  }

  private void take(long from, long to) {
    long all = slots;
    for (long next = from; next < to; ) {
      long published = Memory.WORDS.getLongVolatile(null, cursor);
      if (published == next) {
        continue;
      }
      for (; next < published; next++) {
        if (Memory.WORDS.getLong(slot(all, next)) != next) {
          Program.refuse("Message " + next + " was due.");
        }
      }
      Memory.WORDS.putOrderedLong(null, taken, next);
    }
  }

  private void produce(long from, long to) {
    send(from, to);
    while (Memory.WORDS.getLongVolatile(null, taken) < to) {
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
    String[] asked = words[0].substring(known.length()).split(" produce=");
    int batch = Integer.parseInt(asked[0]);
    long messages = Long.parseLong(words[3]) / batch * batch;
    long each = Math.max(WARM_UP_MESSAGES, messages / WARM_UP_ROUNDS) / batch * batch;
    long from = WARM_UP_ROUNDS * each;
    Ring ring = new Ring(batch, asked.length > 1 ? Integer.parseInt(asked[1]) : 0);

    Thread consumer =
        new Thread(
            () -> {
              Program.pinThisThread(words[2]);
              warmUp(ring::take, each);
              ring.take(from, from + messages);
            });
    consumer.start();
    Program.pinThisThread(words[1]);
    warmUp(ring::produce, each);
    long start = System.nanoTime();
    ring.produce(from, from + messages);
    long took = System.nanoTime() - start;
    consumer.join();
    System.out.printf(Locale.ROOT, "operation ns: %.4f%n", took / (double) messages);
  }
}
