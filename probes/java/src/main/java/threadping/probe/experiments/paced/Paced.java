package threadping.probe.experiments.paced;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Stage;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.mechanisms.queues.ThroughSignal;
import threadping.probe.mechanisms.signals.Signal;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.platform.IdleStates;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Pinning;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/**
 * The experiment {@code paced}: messages on a schedule, through a signal or a queue. What is timed
 * begins when a message was due, whether its sender came to send it then or not. Who writes what:
 *
 * <pre>
 *   sender:   when it was due, when it was sent ------ the message -----&gt; receiver
 *             (no more than fit)                &lt;--- what was taken ---'
 * </pre>
 */
public final class Paced {
  private static final int SENDER = 0;
  private static final int RECEIVER = 1;

  /** How the sender waits until a message is due. */
  private static final Param SENDER_WAITS = Param.text("sender", List.of("spin", "sleep"));

  /** Messages in flight at most. */
  private static final Param SIZE = Shape.SIZE.withDefault(1024);

  public static final Experiment EXPERIMENT =
      new Experiment(
          "paced",
          List.of(
              new Role("sender", false, Receiver.IDLE, List.of()),
              new Role("receiver", true, Receiver.NUMBERS, List.of())),
          2,
          2,
          Experiment.Unit.NS,
          "No message arrives any more: one was lost.",
          true,
          true,
          Stream.of(
                  Signals.SPINNING.stream()
                      .filter(each -> each.oneWay() != null)
                      .map(Paced::signal),
                  Signals.BLOCKING.stream().filter(each -> !each.meets()).map(Paced::signal),
                  Queues.ALL.stream().map(Paced::queue))
              .flatMap(each -> each)
              .toList());

  private Paced() {}

  private static Mechanism signal(Signals.Spinning signal) {
    return mechanism(
        signal.name(),
        false,
        Waits.PARAMS,
        SIZE,
        Mechanism.Runtime.ANY,
        setup -> {
          Wait wait = Waits.of(setup.params());
          return new Flow(new ThroughSignal(signal.oneWay().signal(wait)), setup, false);
        });
  }

  /** One whose awaiter sleeps. */
  public static Mechanism signal(Signals.Blocking signal) {
    return mechanism(
        signal.name(),
        true,
        signal.params(),
        SIZE,
        signal.virtual() ? Mechanism.Runtime.VIRTUAL_THREADS : Mechanism.Runtime.ANY,
        setup -> {
          Signal made = signal.maker().signal(setup.params(), new Lines(1).first(0), null);
          return new Flow(new ThroughSignal(made), setup, signal.virtual());
        });
  }

  /** One of these queues, with one thread at either end. */
  public static Mechanism queue(Queues.Entry entry) {
    Param size =
        entry.params().stream()
            .filter(param -> param.name().equals(SIZE.name()))
            .findAny()
            .get()
            .withDefault((long) SIZE.defaultValue());
    return mechanism(
        entry.name(),
        entry.blocking(),
        entry.params().stream().filter(Queues::isOfWaiting).toList(),
        size,
        Mechanism.Runtime.ANY,
        setup -> {
          Queue queue = entry.maker().queue(entry.shape(setup), setup.params());
          return new Flow(queue, setup, false);
        });
  }

  private static Mechanism mechanism(
      String name,
      boolean blocking,
      List<Param> own,
      Param size,
      Mechanism.Runtime runtime,
      Mechanism.Maker maker) {
    return new Mechanism(
        name,
        blocking,
        List.of("latency"),
        1,
        Stream.concat(
                own.stream(),
                Stream.of(Schedule.ARRIVALS, Schedule.RATE, Schedule.BURST, SENDER_WAITS, size))
            .toList(),
        runtime,
        null,
        maker);
  }

  /** A queue, or a signal as one, and who is at it. */
  private static final class Flow implements Stage {
    private final Queue queue;
    private final Params params;
    private final long seed;
    private final int size;
    private final Slots slots;
    private final boolean virtual;
    private final Schedule.Bounds bounds;
    private final boolean isByGap;

    /** Whether it is of interest in which idle state a message finds the receiver's CPU. */
    private final boolean idles;

    /** Where it is pinned, or -1. */
    private volatile int receiverCpu = -1;

    Flow(Queue queue, Mechanism.Setup setup, boolean virtual) {
      this.queue = queue;
      this.params = setup.params();
      this.seed = setup.seed();
      this.size = (int) params.number(SIZE.name());
      this.slots = new Slots(size);
      this.virtual = virtual;
      this.bounds = Schedule.Bounds.of(params);
      this.isByGap = params.text(Schedule.ARRIVALS.name()).equals(Schedule.GAPS);
      this.idles = isByGap && Waits.sleeps(params);
    }

    @Override
    public int roleOf(int thread) {
      return thread;
    }

    @Override
    public Player player(int thread) {
      return thread == SENDER ? sender() : receiver();
    }

    /** A virtual one that spins might leave the receiver no carrier: it yields. */
    private Player sender() {
      boolean sleeps = params.text(SENDER_WAITS.name()).equals("sleep");
      Wait wait = virtual ? Waits.yielding() : Waits.pausing();
      return new Pacer(
          queue,
          slots,
          size,
          start -> new Schedule(params, seed, start),
          bounds,
          wait,
          sleeps,
          () -> idles && receiverCpu >= 0 ? IdleStates.of(receiverCpu) : null);
    }

    private Player receiver() {
      List<Integer> cpus = virtual ? List.of() : Pinning.allowedCpus();
      receiverCpu = cpus.size() == 1 ? cpus.get(0) : -1;
      return new Receiver(queue, slots, bounds, isByGap, seed);
    }

    @Override
    public boolean comparesClocks(int one, int other) {
      return true;
    }

    @Override
    public void stop(int line) {
      queue.stop();
    }

    @Override
    public long progress(int line) {
      return slots.taken();
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      return queue.isStopped()
          ? Map.of()
          : Map.of("messages", new Held(ops[SENDER], ops[RECEIVER], true));
    }
  }
}
