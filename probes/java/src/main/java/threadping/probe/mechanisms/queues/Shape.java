package threadping.probe.mechanisms.queues;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.platform.Lines;

/**
 * What is asked of a queue.
 *
 * @param size messages it holds
 * @param payload words of each message
 * @param inFlight maximum number of a producer's messages not taken yet; 0: by the size
 * @param batch messages sent at once
 */
public record Shape(int size, int payload, int inFlight, int batch, int producers, int consumers) {
  private static final long MOST = 1 << 20;

  /**
   * As many as in the Disruptor's own OneToOneSequencedThroughputTest. With a sixtyfourth of it the
   * Disruptor's producer, which sleeps where the ring is full, sleeps for longer than the consumer
   * needs to empty it.
   */
  private static final long PUBLISHED = 1 << 16;

  private static final long MOST_OF_A_KIND = Experiment.MOST_THREADS - 1;

  public static final Param SIZE = sizeFrom(2);

  /** Of a message that is a number and a stamp alone. */
  private static final int BARE_BYTES = 2 * Long.BYTES;

  public static final Param MESSAGE_BYTES =
      Param.number("message-bytes", BARE_BYTES, BARE_BYTES, 1024);
  public static final Param DEPTH = Param.number("depth", 0, 0, MOST);
  static final Param BATCH = Param.number("batch", 1, 1, 1 << 16);

  public static final Param PRODUCERS = Param.number("producers", 1, 1, MOST_OF_A_KIND);

  /** Each of them sees every message. */
  static final Param CONSUMERS = Param.number("consumers", 1, 1, MOST_OF_A_KIND);

  /** The size of a queue that holds at least {@code least} messages. */
  static Param sizeFrom(long least) {
    return Param.number("size", PUBLISHED, least, MOST);
  }

  /** The words that fill a message of this many bytes, rounded up to whole words. */
  private static int wordsIn(int bytes) {
    return (bytes - BARE_BYTES + Long.BYTES - 1) / Long.BYTES;
  }

  /** What these parameters of a queue say. Throws Failure(BAD_REQUEST). */
  static Shape of(Queues.Traits queue, Setup setup) {
    Params params = setup.params();
    Shape shape =
        new Shape(
            (int) params.number(SIZE.name()),
            wordsIn((int) params.number(MESSAGE_BYTES.name(), BARE_BYTES)),
            (int) params.number(DEPTH.name(), 0),
            (int) params.number(BATCH.name(), 1),
            (int) params.number(PRODUCERS.name(), 1),
            (int) params.number(CONSUMERS.name(), 1));
    shape.refuseOtherThreads(setup.threads());
    if (queue.isRing() && Integer.bitCount(shape.size) != 1) {
      throw BAD_REQUEST.failure(
          "The parameter '%s' of %s must be a power of two, such as %d, not %d.",
          SIZE.name(), queue.name(), powerOfTwo(shape.size), shape.size);
    }
    queue.refuseAbove(BATCH, shape.batch, SIZE, shape.size);
    queue.refuseAbove(DEPTH, shape.inFlight, SIZE, shape.size);
    if (shape.inFlight > 0) {
      queue.refuseAbove(BATCH, shape.batch, DEPTH, shape.inFlight);
    }
    long messages = (long) shape.producers * shape.pooled();
    Lines.refuseTooMuch(
        messages * (Message.bytes(shape.payload) + Long.BYTES),
        "the parameter 'size', 'message-bytes' or 'producers'");
    return shape;
  }

  private void refuseOtherThreads(int threads) {
    String wanted = counted(producers, "producer") + " and " + counted(consumers, "consumer");
    if (producers > 1 && consumers > 1) {
      throw BAD_REQUEST.failure("Of %s only one kind may be more than 1.", wanted);
    }
    if (threads != producers + consumers) {
      throw BAD_REQUEST.failure(
          "%s are %d threads, not %d.", wanted, producers + consumers, threads);
    }
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  /**
   * A number of a producer's messages, a power of two, that are never under way at once: those in
   * the queue, which may round its size up to a power of two, those in the consumer's hands, and
   * those being written.
   */
  public int pooled() {
    return powerOfTwo(powerOfTwo(size) + batch + 1);
  }

  /** The least that is not below this. */
  private static int powerOfTwo(int number) {
    return Integer.highestOneBit(number - 1) << 1;
  }
}
