package threadping.probe.experiments.ring;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Stage;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.waits.Wait;

/**
 * The experiment {@code ring}: a stream of messages at full speed. What is timed is how long a
 * message was on its way; messages are counted where they arrive. Who writes what:
 *
 * <pre>
 *   producer: the message, when it was sent ------ the queue -----&gt; consumer
 *             (in-flight)  &lt;--- what was taken of each producer ---'
 * </pre>
 *
 * <p>Thread 0 is a producer and thread 1 a consumer; all others are what there are several of.
 */
public final class Ring {
  private static final int PRODUCER = 0;
  private static final int CONSUMER = 1;

  public static final Experiment EXPERIMENT =
      new Experiment(
          "ring",
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
          Queues.ALL.stream().map(Ring::mechanism).toList());

  private Ring() {}

  /** One of these queues, measured. */
  public static Mechanism mechanism(Queues.Entry entry) {
    return new Mechanism(
        entry.name(),
        entry.blocking(),
        List.of("latency"),
        1,
        entry.allParams(),
        setup -> {
          Shape shape = entry.shape(setup);
          Queue queue = entry.maker().queue(shape, setup.params());
          return new Stream(queue, shape, Queues.waitOf(entry, setup.params()));
        });
  }

  /** A queue, and who is at it. */
  private static final class Stream implements Stage {
    private final Queue queue;
    private final Books books;
    private final Shape shape;
    private final Wait wait;
    private final Consumer[] consumers;

    Stream(Queue queue, Shape shape, Wait wait) {
      this.queue = queue;
      this.books = new Books(shape);
      this.shape = shape;
      this.wait = wait;
      this.consumers = new Consumer[shape.consumers()];
    }

    @Override
    public int roleOf(int thread) {
      return thread <= CONSUMER ? thread : shape.consumers() > 1 ? CONSUMER : PRODUCER;
    }

    @Override
    public Player player(int thread) {
      if (roleOf(thread) == PRODUCER) {
        return new Producer(queue, thread == 0 ? 0 : thread - 1, shape, books, wait);
      }
      int consumer = thread - 1;
      return consumers[consumer] = new Consumer(queue, consumer, shape, books);
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
      return books.entries();
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      long made = 0;
      for (int thread = 0; thread < ops.length; thread++) {
        made += roleOf(thread) == PRODUCER ? ops[thread] : 0;
      }
      long least = Arrays.stream(consumers).mapToLong(Consumer::taken).min().getAsLong();
      return queue.isStopped() ? Map.of() : Map.of("messages", new Held(made, least, true));
    }
  }
}
