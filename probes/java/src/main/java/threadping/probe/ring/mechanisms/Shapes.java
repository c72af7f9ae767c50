package threadping.probe.ring.mechanisms;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import threadping.probe.crew.Param;
import threadping.probe.crew.Params;
import threadping.probe.message.Request;
import threadping.probe.ring.Shape;

/** The parameters that say how many take part and how much is on its way. */
final class Shapes {
  private static final long MOST = 1 << 20;

  /**
   * As many as in the Disruptor's own OneToOneSequencedThroughputTest. With a sixtyfourth of it the
   * Disruptor's producer, which sleeps where the ring is full, sleeps for longer than the consumer
   * needs to empty it.
   */
  private static final long PUBLISHED = 1 << 16;

  private static final long MOST_OF_A_KIND = Request.MOST_THREADS - 1;

  /** How many messages it holds. */
  static final Param SIZE = sizeFrom(2);

  /** Words that a message carries besides. */
  static final Param PAYLOAD = Param.number("payload", 0, 0, 126);

  /** How many messages of a producer are under way at most; 0: as many as it holds. */
  static final Param IN_FLIGHT = Param.number("in-flight", 0, 0, MOST);

  /** How many messages are claimed and published at once. */
  static final Param BATCH = Param.number("batch", 1, 1, 1 << 16);

  static final Param PRODUCERS = Param.number("producers", 1, 1, MOST_OF_A_KIND);

  /** Each of whom sees every message. */
  static final Param CONSUMERS = Param.number("consumers", 1, 1, MOST_OF_A_KIND);

  private Shapes() {}

  /** Of a mechanism that holds so many at least. */
  static Param sizeFrom(long least) {
    return Param.number("size", PUBLISHED, least, MOST);
  }

  /** What these parameters of a mechanism say. Throws Failure(BAD_REQUEST). */
  static Shape of(String mechanism, Params params, int threads) {
    Shape shape = new Shape();
    shape.size = (int) params.number(SIZE.name);
    shape.payload = (int) params.number(PAYLOAD.name);
    shape.inFlight = (int) params.number(IN_FLIGHT.name);
    shape.batch = (int) params.number(BATCH.name, 1);
    shape.producers = (int) params.number(PRODUCERS.name, 1);
    shape.consumers = (int) params.number(CONSUMERS.name, 1);
    refuseOtherThreads(shape, threads);
    refuseBatchAbove(SIZE, shape.size, mechanism, shape);
    if (shape.inFlight > 0) {
      refuseBatchAbove(IN_FLIGHT, shape.inFlight, mechanism, shape);
    }
    return shape;
  }

  /** The same of one that is a ring, in which places are counted by powers of two. */
  static Shape ofRing(String mechanism, Params params, int threads) {
    Shape shape = of(mechanism, params, threads);
    if (Integer.bitCount(shape.size) != 1) {
      throw BAD_REQUEST.failure(
          "The parameter '%s' of %s must be a power of two, such as %s, not %d.",
          SIZE.name, mechanism, SIZE.defaultValue, shape.size);
    }
    return shape;
  }

  private static void refuseOtherThreads(Shape shape, int threads) {
    String wanted =
        counted(shape.producers, "producer") + " and " + counted(shape.consumers, "consumer");
    if (shape.producers > 1 && shape.consumers > 1) {
      throw BAD_REQUEST.failure("Of %s only one kind may be more than 1.", wanted);
    }
    if (threads != shape.producers + shape.consumers) {
      throw BAD_REQUEST.failure(
          "%s are %d threads, not %d.", wanted, shape.producers + shape.consumers, threads);
    }
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private static void refuseBatchAbove(Param param, int most, String mechanism, Shape shape) {
    if (shape.batch > most) {
      throw BAD_REQUEST.failure(
          "The parameter '%s' of %s must not be larger than '%s', which is %d: it is %d.",
          BATCH.name, mechanism, param.name, most, shape.batch);
    }
  }
}
