package threadping.probe.mechanisms.queues;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import com.lmax.disruptor.dsl.ProducerType;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.platform.Jvm;
import threadping.probe.waits.Waits;

/** Every queue: a new one is one new file and one line here. */
public final class Queues {
  /** The wait strategy of a Disruptor's consumer that finds nothing: one of its own. */
  private static final Param DISRUPTORS_WAIT =
      Param.text(
          "wait",
          List.of(
              "busy-spin",
              "yielding",
              "sleeping",
              "blocking",
              "lite-blocking",
              "timeout-blocking",
              "lite-timeout-blocking",
              "phased-backoff"));

  /**
   * What a queue can do, how it is called and made.
   *
   * @param blocking whether a waiting thread sleeps
   * @param isRing whether its size is a power of two
   * @param isBounded whether it is full by itself; otherwise what is in flight bounds it
   * @param params its own, the first of them how many messages it holds
   */
  public record Traits(
      String name,
      boolean blocking,
      boolean isRing,
      boolean isBounded,
      List<Param> params,
      QueueMaker maker) {
    /** What a request says of it. Throws Failure(BAD_REQUEST). */
    public Shape shape(Setup setup) {
      return Shape.of(this, setup);
    }

    void refuseAbove(Param param, int value, Param limit, int most) {
      if (value > most) {
        throw BAD_REQUEST.failure(
            "The parameter '%s' of %s must be at most its '%s', %d, not %d.",
            param.name(), name, limit.name(), most, value);
      }
    }
  }

  /** Makes a queue of this shape. */
  public interface QueueMaker {
    Queue queue(Shape shape, Params params);
  }

  // Queues are named in the bodies of lambdas only: a reference to a constructor is resolved with
  // this class, which every trial loads.
  public static final List<Traits> ALL =
      List.of(
          disruptor("disruptor", ProducerType.SINGLE, Shape.CONSUMERS),
          disruptor("disruptor-multi", ProducerType.MULTI, Shape.CONSUMERS, Shape.PRODUCERS),
          new Traits(
              "sequenced-ring",
              false,
              true,
              true,
              Stream.concat(
                      Stream.of(Shape.SIZE, Shape.BATCH, Shape.CONSUMERS), Waits.PARAMS.stream())
                  .toList(),
              (shape, params) -> new SequencedRing(shape, Waits.of(params))),
          // JCTools' ring for one producer holds four at least.
          polled("jctools-spsc", n -> new SpscArrayQueue<>(n), Waits.PARAMS, Shape.sizeFrom(4)),
          polled(
              "jctools-mpsc",
              n -> new MpscArrayQueue<>(n),
              Waits.PARAMS,
              Shape.SIZE,
              Shape.PRODUCERS),
          polled(
              "agrona-one-to-one",
              n -> {
                Jvm.openToAgrona();
                return new OneToOneConcurrentArrayQueue<>(n);
              },
              Waits.AGRONA,
              Shape.SIZE),
          polled(
              "agrona-many-to-one",
              n -> {
                Jvm.openToAgrona();
                return new ManyToOneConcurrentArrayQueue<>(n);
              },
              Waits.AGRONA,
              Shape.SIZE,
              Shape.PRODUCERS),
          blocking("array-blocking-queue", true, n -> new ArrayBlockingQueue<>(n)),
          blocking("linked-blocking-queue", true, n -> new LinkedBlockingQueue<>(n)),
          blocking("linked-transfer-queue", false, n -> new LinkedTransferQueue<>()));

  private Queues() {}

  private static Traits disruptor(String name, ProducerType producers, Param... more) {
    Stream<Param> own = Stream.of(Shape.SIZE, Shape.BATCH, DISRUPTORS_WAIT);
    return new Traits(
        name,
        false,
        true,
        true,
        Stream.concat(own, Stream.of(more)).toList(),
        (shape, params) -> new Disruptor(shape, params.text(DISRUPTORS_WAIT.name()), producers));
  }

  /** A ring of references whose waiting threads keep polling. */
  private static Traits polled(
      String name, IntFunction<java.util.Queue<Message>> queue, List<Param> waits, Param... own) {
    return new Traits(
        name,
        false,
        true,
        true,
        Stream.concat(Stream.of(own), waits.stream()).toList(),
        (shape, params) -> new OneByOne(queue.apply(shape.size()), shape, Waits.of(params)));
  }

  /** One of java.util.concurrent. */
  private static Traits blocking(
      String name, boolean isBounded, IntFunction<BlockingQueue<Message>> queue) {
    return new Traits(
        name,
        true,
        false,
        isBounded,
        List.of(Shape.SIZE, Shape.PRODUCERS),
        (shape, params) -> new OneByOne.BlockingOneByOne(queue.apply(shape.size()), shape));
  }

  /** Whether this parameter of one says how its threads wait. */
  public static boolean isOfWaiting(Param param) {
    return param.equals(DISRUPTORS_WAIT)
        || Waits.PARAMS.contains(param)
        || Waits.AGRONA.contains(param);
  }
}
