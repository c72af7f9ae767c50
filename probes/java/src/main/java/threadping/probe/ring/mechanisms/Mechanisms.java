package threadping.probe.ring.mechanisms;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.ring.Message;
import threadping.probe.ring.MessageQueue;
import threadping.probe.ring.RingLoops;
import threadping.probe.ring.Shape;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/** Every mechanism of the ring experiment: a new one is one new file and one line here. */
public final class Mechanisms {
  private static final List<String> LATENCY = List.of("latency");

  /** JCTools' ring for one producer holds four at least. */
  private static final Param SIZE_FROM_4 = Shapes.sizeFrom(4);

  // Queues are named in the bodies of lambdas only: a reference to a constructor is resolved with
  // this class, which every trial loads, and Agrona's are of Java 17.
  public static final List<Mechanism> ALL =
      List.of(
          disruptor("disruptor", (shape, wait) -> Disruptor.single(shape, wait)),
          disruptor(
              "disruptor-multi", (shape, wait) -> Disruptor.multi(shape, wait), Shapes.PRODUCERS),
          polled("jctools-spsc", SIZE_FROM_4, size -> new SpscArrayQueue<>(size)),
          polled("jctools-mpsc", Shapes.SIZE, size -> new MpscArrayQueue<>(size), Shapes.PRODUCERS),
          polled("agrona-one-to-one", Shapes.SIZE, size -> new OneToOneConcurrentArrayQueue<>(size))
              .sinceJava(17),
          polled(
                  "agrona-many-to-one",
                  Shapes.SIZE,
                  size -> new ManyToOneConcurrentArrayQueue<>(size),
                  Shapes.PRODUCERS)
              .sinceJava(17),
          blocking("array-blocking-queue", false, size -> new ArrayBlockingQueue<>(size)),
          blocking("linked-blocking-queue", false, size -> new LinkedBlockingQueue<>(size)),
          blocking("linked-transfer-queue", true, size -> new LinkedTransferQueue<>()));

  private Mechanisms() {}

  /** Its wait strategies are the consumers'; a producer that has too many in flight spins. */
  private static Mechanism disruptor(
      String name, BiFunction<Shape, String, MessageQueue> queue, Param... more) {
    List<Param> params =
        with(
            more,
            Shapes.SIZE,
            Shapes.PAYLOAD,
            Shapes.IN_FLIGHT,
            Shapes.BATCH,
            WaitStrategies.WAIT,
            Shapes.CONSUMERS);
    return new Mechanism(
        name,
        false,
        LATENCY,
        1,
        params,
        (given, lines, threads) -> {
          Shape shape = Shapes.ofRing(name, given, threads);
          String wait = given.text(WaitStrategies.WAIT.name);
          return new RingLoops(() -> queue.apply(shape, wait), lines, shape, Waits.pausing());
        });
  }

  /** A ring of references whose waiting threads keep looking. */
  private static Mechanism polled(
      String name, Param size, IntFunction<Queue<Message>> queue, Param... more) {
    List<Param> params = with(more, size, Shapes.PAYLOAD, Shapes.IN_FLIGHT);
    params.addAll(Waits.PARAMS);
    return new Mechanism(
        name,
        false,
        LATENCY,
        1,
        params,
        (given, lines, threads) -> {
          Shape shape = Shapes.ofRing(name, given, threads);
          Wait wait = Waits.of(given);
          return new RingLoops(
              () -> new Polled(queue.apply(shape.size), shape, wait), lines, shape, wait);
        });
  }

  /** One of java.util.concurrent; where it is unbounded, what is in flight bounds it. */
  private static Mechanism blocking(
      String name, boolean isUnbounded, IntFunction<BlockingQueue<Message>> queue) {
    return new Mechanism(
        name,
        true,
        LATENCY,
        1,
        List.of(Shapes.SIZE, Shapes.PAYLOAD, Shapes.IN_FLIGHT, Shapes.PRODUCERS),
        (given, lines, threads) -> {
          Shape shape = Shapes.of(name, given, threads);
          if (isUnbounded && (shape.inFlight == 0 || shape.inFlight > shape.size)) {
            shape.inFlight = shape.size;
          }
          return new RingLoops(
              () -> new Blocking(queue.apply(shape.size), shape), lines, shape, Waits.yielding());
        });
  }

  private static List<Param> with(Param[] more, Param... all) {
    List<Param> params = new ArrayList<>(List.of(all));
    params.addAll(List.of(more));
    return params;
  }
}
