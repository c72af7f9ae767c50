package threadping.probe.mechanisms.queues;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.platform.Lines;

/**
 * How many take part, and how much is on its way.
 *
 * @param size messages that a queue holds
 * @param payload words that a message carries besides its id
 * @param inFlight of a producer's messages so many at most are not yet taken by every consumer; 0:
 *     any
 * @param batch messages that are sent at once
 * @param produce steps of work that a producer takes before it has each message
 * @param work steps that a consumer takes after each message
 */
public record Shape(
    int producers,
    int consumers,
    int size,
    int payload,
    int inFlight,
    int batch,
    int produce,
    int work) {
  private static final long MOST = 1 << 20;

  /**
   * As many as in the Disruptor's own OneToOneSequencedThroughputTest. With a sixtyfourth of it the
   * Disruptor's producer, which sleeps where the ring is full, sleeps for longer than the consumer
   * needs to empty it.
   */
  private static final long PUBLISHED = 1 << 16;

  private static final long MOST_OF_A_KIND = Experiment.MOST_THREADS - 1;

  public static final Param SIZE = sizeFrom(2);
  static final Param PAYLOAD = Param.number("payload", 0, 0, 126);
  static final Param IN_FLIGHT = Param.number("in-flight", 0, 0, MOST);
  static final Param BATCH = Param.number("batch", 1, 1, 1 << 16);

  /**
   * A full queue is taken to its end when a trial is over: 65,536 times so many steps take some 80
   * ms.
   */
  private static final long MOST_STEPS = 1_000;

  static final Param PRODUCE = Param.number("produce", 0, 0, MOST_STEPS);
  static final Param WORK = Param.number("work", 0, 0, MOST_STEPS);

  static final Param PRODUCERS = Param.number("producers", 1, 1, MOST_OF_A_KIND);

  /** Each of whom sees every message. */
  static final Param CONSUMERS = Param.number("consumers", 1, 1, MOST_OF_A_KIND);

  /** Of a queue that holds so many at least. */
  static Param sizeFrom(long least) {
    return Param.number("size", PUBLISHED, least, MOST);
  }

  /** What these parameters of a queue say. Throws Failure(BAD_REQUEST). */
  static Shape of(Queues.Entry queue, Setup setup) {
    Params params = setup.params();
    Shape shape =
        new Shape(
            (int) params.number(PRODUCERS.name(), 1),
            (int) params.number(CONSUMERS.name(), 1),
            (int) params.number(SIZE.name()),
            (int) params.number(PAYLOAD.name(), 0),
            (int) params.number(IN_FLIGHT.name(), 0),
            (int) params.number(BATCH.name(), 1),
            (int) params.number(PRODUCE.name(), 0),
            (int) params.number(WORK.name(), 0));
    shape.refuseOtherThreads(setup.threads());
    if (queue.isRing() && Integer.bitCount(shape.size) != 1) {
      throw BAD_REQUEST.failure(
          "The parameter '%s' of %s must be a power of two, such as %s, not %d.",
          SIZE.name(), queue.name(), SIZE.defaultValue(), shape.size);
    }
    shape.refuseAbove(queue, BATCH, shape.batch, SIZE, shape.size);
    shape.refuseAbove(queue, IN_FLIGHT, shape.inFlight, SIZE, shape.size);
    if (shape.inFlight > 0) {
      shape.refuseAbove(queue, BATCH, shape.batch, IN_FLIGHT, shape.inFlight);
    }
    long messages = (long) shape.producers * shape.pooled();
    Lines.refuseTooMuch(
        messages * (Message.bytes(shape.payload) + Long.BYTES),
        "the parameter 'size', 'payload' or 'producers'");
    return shape;
  }

  Shape withInFlight(int most) {
    return new Shape(producers, consumers, size, payload, most, batch, produce, work);
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

  private void refuseAbove(Queues.Entry queue, Param param, int value, Param limit, int most) {
    if (value > most) {
      throw BAD_REQUEST.failure(
          "The parameter '%s' of %s must not be larger than '%s', which is %d: it is %d.",
          param.name(), queue.name(), limit.name(), most, value);
    }
  }

  /**
   * So many of a producer's messages, a power of two, are never under way at once: those in the
   * queue, those in the consumer's hands, and those being written.
   */
  public int pooled() {
    int used = size + batch + 1;
    return Integer.highestOneBit(used - 1) << 1;
  }
}
