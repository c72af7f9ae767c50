import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import java.util.Locale;

/**
 * One producer and one consumer around the LMAX Disruptor with nothing else: numbers in events, a
 * check of each, one clock pair.
 *
 * <p>{@code Stream "disruptor batch=N rest=STEPS pause=STEPS" PRODUCER_CPU CONSUMER_CPU MESSAGES}
 * prints what a message takes on the average, from the first that is published to the last that was
 * taken, after ten warm-up rounds of 100,000. The consumer rests so many steps after each take, and
 * the producer pauses so many after each message or batch.
 */
final class Stream {
  private static final int WARM_UP_ROUNDS = 10;
  private static final long WARM_UP_MESSAGES = 100_000;
  private static final int SIZE = 64 * 1024;

  static final class Event {
    long number;
  }

  private final RingBuffer<Event> ring =
      RingBuffer.createSingleProducer(Event::new, SIZE, new BusySpinWaitStrategy());
  private final SequenceBarrier barrier = ring.newBarrier();
  private final Sequence taken = new Sequence();
  private final int batch;
  private final int rest;
  private final int pause;

  private static volatile long result;

  private Stream(int batch, int rest, int pause) {
    this.batch = batch;
    this.rest = rest;
    this.pause = pause;
    ring.addGatingSequences(taken);
  }

  private long send(long from, long to) {
    long paused = 1;
    for (long number = from; number < to; number++) {
      long slot = ring.next();
      ring.get(slot).number = number;
      ring.publish(slot);
      paused = takeSteps(paused, pause);
    }
    return paused;
  }

  private long sendBatches(long from, long to) {
    long paused = 1;
    for (long number = from; number < to; ) {
      long last = ring.next(batch);
      long first = last - batch + 1;
      for (long slot = first; slot <= last; slot++) {
        ring.get(slot).number = number++;
      }
      ring.publish(first, last);
      paused = takeSteps(paused, pause);
    }
    return paused;
  }

  private long take(long from, long to) {
    long rested = 1;
    long slot = from;
    while (slot < to) {
      long last = available(slot);
      for (; slot <= last; slot++) {
        if (ring.get(slot).number != slot) {
          Standing.refuse("Message " + slot + " was due.");
        }
      }
      taken.set(last);
      rested = takeSteps(rested, rest);
    }
    return rested;
  }

  /** One step is a multiplication and an addition that wait for those before. */
  private static long takeSteps(long from, int steps) {
    long last = from;
    for (int left = steps; left > 0; left--) {
      last = last * 6364136223846793005L + 1442695040888963407L;
    }
    return last;
  }

  private long available(long slot) {
    try {
      return barrier.waitFor(slot);
    } catch (AlertException | InterruptedException | TimeoutException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private long produce(long from, long to) {
    long paused = batch == 1 ? send(from, to) : sendBatches(from, to);
    while (taken.get() < to - 1) {
      Thread.onSpinWait();
    }
    return paused;
  }

  private interface Side {
    /** Returns what its steps came to, which nobody needs: without it they would be left out. */
    long perform(long from, long to);
  }

  private static void warmUp(Side side) {
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      result = side.perform(round * WARM_UP_MESSAGES, (round + 1) * WARM_UP_MESSAGES);
    }
  }

  /** What stands behind a name and "=" in what was asked for: 100, or 1k. */
  private static int number(String asked, String name) {
    for (String word : asked.split(" ")) {
      if (word.startsWith(name + "=")) {
        return Integer.parseInt(word.substring(name.length() + 1).replace("k", "000"));
      }
    }
    throw new IllegalArgumentException("No " + name + " in " + asked);
  }

  public static void main(String[] words) throws InterruptedException {
    int batch = number(words[0], "batch");
    String producerCpu = words[1];
    String consumerCpu = words[2];
    long messages = Long.parseLong(words[3]) / batch * batch;
    long from = WARM_UP_ROUNDS * WARM_UP_MESSAGES;
    Stream stream = new Stream(batch, number(words[0], "rest"), number(words[0], "pause"));

    Thread consumer =
        new Thread(
            () -> {
              Standing.pinThisThread(consumerCpu);
              warmUp(stream::take);
              result = stream.take(from, from + messages);
            });
    consumer.start();
    Standing.pinThisThread(producerCpu);
    warmUp(stream::produce);
    long start = System.nanoTime();
    result = stream.produce(from, from + messages);
    long took = System.nanoTime() - start;
    consumer.join();
    System.out.printf(Locale.ROOT, "operation ns: %.4f%n", took / (double) messages);
  }
}
