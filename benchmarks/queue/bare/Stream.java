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
 * <p>{@code Stream "disruptor batch=N rest=STEPS producer-work=STEPS" PRODUCER_CPU CONSUMER_CPU
 * MESSAGES} prints what a message takes on the average, from the first that is published to the
 * last that was taken, after ten warm-up rounds of 100,000, or of as many as that together. The
 * consumer takes rest=STEPS after each take, and the producer producer-work=STEPS after each
 * message or batch.
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
      paused = Steps.take(paused, pause);
    }
    return paused;
  }

  private long sendBatches(long from, long to) {
    long paused = 1;
    for (long number = from; number < to; number += batch) {
      long last = ring.next(batch);
      long first = last - batch + 1;
      write(ring, first, last, number);
      ring.publish(first, last);
      paused = Steps.take(paused, pause);
    }
    return paused;
  }

  /**
   * Of a loop in which nothing is called the virtual machine reads what it needs of the ring once.
   */
  private static void write(RingBuffer<Event> into, long first, long last, long firstNumber) {
    long number = firstNumber;
    for (long slot = first; slot <= last; slot++) {
      into.get(slot).number = number++;
    }
  }

  /** The same: the first that is not as due, or the one behind the last. */
  private static long firstWrong(RingBuffer<Event> of, long first, long last) {
    long slot = first;
    while (slot <= last && of.get(slot).number == slot) {
      slot++;
    }
    return slot;
  }

  private long take(long from, long to) {
    long rested = 1;
    long slot = from;
    while (slot < to) {
      long last = available(slot);
      slot = firstWrong(ring, slot, last);
      if (slot <= last) {
        Program.refuse("Message " + slot + " was due.");
      }
      taken.set(last);
      rested = Steps.take(rested, rest);
    }
    return rested;
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

  private static void warmUp(Side side, long messages) {
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      result = side.perform(round * messages, (round + 1) * messages);
    }
  }

  /**
   * Returns the number behind a name and "=" in the argument (100, or 1k), or 0 if it is missing.
   */
  private static int number(String asked, String name) {
    for (String word : asked.split(" ")) {
      if (word.startsWith(name + "=")) {
        return Integer.parseInt(word.substring(name.length() + 1).replace("k", "000"));
      }
    }
    return 0;
  }

  public static void main(String[] words) throws InterruptedException {
    int batch = number(words[0], "batch");
    String producerCpu = words[1];
    String consumerCpu = words[2];
    long messages = Long.parseLong(words[3]) / batch * batch;
    long each = Math.max(WARM_UP_MESSAGES, messages / WARM_UP_ROUNDS) / batch * batch;
    long from = WARM_UP_ROUNDS * each;
    Stream stream = new Stream(batch, number(words[0], "rest"), number(words[0], "producer-work"));

    Thread consumer =
        new Thread(
            () -> {
              Program.pinThisThread(consumerCpu);
              warmUp(stream::take, each);
              result = stream.take(from, from + messages);
            });
    consumer.start();
    Program.pinThisThread(producerCpu);
    warmUp(stream::produce, each);
    long start = System.nanoTime();
    result = stream.produce(from, from + messages);
    long took = System.nanoTime() - start;
    consumer.join();
    System.out.printf(Locale.ROOT, "operation ns: %.4f%n", took / (double) messages);
  }
}
