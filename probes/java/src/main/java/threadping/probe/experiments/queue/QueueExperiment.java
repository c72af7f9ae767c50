package threadping.probe.experiments.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Stage;
import threadping.probe.mechanisms.queues.Gating;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;

/**
 * The experiment {@code queue}: a stream of messages at full speed. What is timed is how long a
 * message was on its way; messages are counted where they arrive. Who writes what:
 *
 * <pre>
 *   producer: the message, when it was sent ------ the queue -----&gt; consumer
 *             (depth)  &lt;--- what was taken of each producer ---'
 * </pre>
 *
 * <p>Thread 0 is a producer and thread 1 a consumer; all others are what there are several of.
 */
public final class QueueExperiment {
  private static final int PRODUCER = 0;
  private static final int CONSUMER = 1;

  /**
   * A full queue is taken to its end when a trial is over: 65,536 times this number of steps take
   * some 80 ms.
   */
  private static final long MOST_STEPS = 1_000;

  /** Steps of work that a producer takes before it has each message, ... */
  private static final Param PRODUCE = Param.number("producer-work", 0, 0, MOST_STEPS);

  /** ... and a consumer after each. */
  private static final Param WORK = Param.number("consumer-work", 0, 0, MOST_STEPS);

  public static final Experiment EXPERIMENT =
      new Experiment(
          "queue",
          List.of(
              new Role("producer", false),
              new Role(
                  "consumer", true, List.of(new Role.NumberInfo("batch", "messages")), List.of())),
          2,
          Experiment.MOST_THREADS,
          Experiment.Unit.NS,
          "No message arrives any more: one was lost, or the queue is full and nobody takes from"
              + " it.",
          true,
          false,
          Queues.ALL.stream().map(QueueExperiment::mechanism).toList());

  private QueueExperiment() {}

  /** One of these queues, measured. */
  public static Mechanism mechanism(Queues.Traits queue) {
    List<Param> params = new ArrayList<>(queue.params());
    params.addAll(1, List.of(Shape.MESSAGE_BYTES, Shape.DEPTH, PRODUCE, WORK));
    return new Mechanism(
        queue.name(),
        queue.blocking(),
        List.of("latency"),
        1,
        params,
        setup -> new QueueStage(queue, setup));
  }

  /** A queue, and who is at it. */
  private static final class QueueStage implements Stage {
    private final Shape shape;

    /** Messages of a producer that may be in flight; 0 leaves it to the queue. */
    private final int inFlight;

    private final int produce;
    private final int work;
    private final Queue queue;
    private final Gating gating;

    QueueStage(Queues.Traits traits, Mechanism.Setup setup) {
      this.shape = traits.shape(setup);
      this.inFlight = traits.isBounded() || shape.inFlight() > 0 ? shape.inFlight() : shape.size();
      this.produce = (int) setup.params().number(PRODUCE.name());
      this.work = (int) setup.params().number(WORK.name());
      this.queue = traits.maker().queue(shape, setup.params());
      this.gating = new Gating(queue, shape);
    }

    @Override
    public int roleOf(int thread) {
      return thread <= CONSUMER ? thread : shape.consumers() > 1 ? CONSUMER : PRODUCER;
    }

    @Override
    public Player player(int thread) {
      int index = Math.max(0, thread - 1);
      return roleOf(thread) == PRODUCER
          ? new Producer(queue, index, shape, inFlight, produce, gating)
          : new Consumer(queue, index, shape, work, gating);
    }

    @Override
    public boolean comparesClocks(int one, int other) {
      return roleOf(one) != roleOf(other);
    }

    @Override
    public void stop(int line) {
      queue.stop();
    }

    @Override
    public long progress(int line) {
      return gating.taken();
    }

    /** Every consumer takes every message. */
    @Override
    public Map<String, Held> counts(long[] ops) {
      long sent = 0;
      long taken = 0;
      for (int thread = 0; thread < ops.length; thread++) {
        sent += roleOf(thread) == PRODUCER ? ops[thread] : 0;
        taken += roleOf(thread) == CONSUMER ? ops[thread] : 0;
      }
      Held messages = new Held(sent * shape.consumers(), taken, true);
      return queue.isStopped() ? Map.of() : Map.of("messages", messages);
    }
  }
}
