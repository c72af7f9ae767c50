package threadping.probe.experiments.load;

import java.util.List;
import java.util.stream.Stream;
import threadping.Signal;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Role;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.platform.Lines;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/**
 * The experiment {@code load}: messages on a schedule, through a signal or a queue. What is timed
 * begins when a message was due, whether its sender came to send it then or not. Who writes what:
 *
 * <pre>
 *   sender:   when it was due, when it was sent ------ the message -----&gt; receiver
 *             (no more than fit)                &lt;--- what was taken ---'
 * </pre>
 */
public final class LoadExperiment {
  /** How the sender waits until a message is due. */
  static final Param SENDER_WAITS = Param.text("sender", List.of("spin", "sleep"));

  /** Messages in flight at most. */
  static final Param SIZE = Shape.SIZE.withDefault(1024);

  public static final Experiment EXPERIMENT =
      new Experiment(
          "load",
          List.of(
              new Role("sender", false, LoadReceiver.IDLE, List.of()),
              new Role("receiver", true, LoadReceiver.NUMBERS, List.of())),
          2,
          2,
          Experiment.Unit.NS,
          "No message arrives any more: one was lost.",
          true,
          true,
          Stream.of(
                  Signals.SPINNING.stream()
                      .filter(each -> each.oneWay() != null)
                      .map(LoadExperiment::signal),
                  Signals.BLOCKING.stream()
                      .filter(each -> !each.meets())
                      .map(LoadExperiment::signal),
                  Queues.ALL.stream().map(LoadExperiment::queue))
              .flatMap(each -> each)
              .toList());

  private LoadExperiment() {}

  private static Mechanism signal(Signals.Spinning signal) {
    return mechanism(
        signal.name(),
        false,
        Waits.PARAMS,
        SIZE,
        false,
        setup -> {
          Wait wait = Waits.of(setup.params());
          return new Course(new SignalQueue(signal.oneWay().apply(wait)), setup, false);
        });
  }

  /** One whose awaiter sleeps. */
  public static Mechanism signal(Signals.Blocking signal) {
    return mechanism(
        signal.name(),
        true,
        signal.params(),
        SIZE,
        signal.virtual(),
        setup -> {
          Signal made = signal.maker().signal(setup.params(), new Lines(1).first(0), null);
          return new Course(new SignalQueue(made), setup, signal.virtual());
        });
  }

  /** One of these queues, with one thread at either end. */
  public static Mechanism queue(Queues.Traits traits) {
    Param size =
        traits.params().stream()
            .filter(param -> param.name().equals(SIZE.name()))
            .findAny()
            .get()
            .withDefault((long) SIZE.defaultValue());
    return mechanism(
        traits.name(),
        traits.blocking(),
        traits.params().stream().filter(Queues::isOfWaiting).toList(),
        size,
        false,
        setup -> {
          Queue queue = traits.maker().queue(traits.shape(setup), setup.params());
          return new Course(queue, setup, false);
        });
  }

  private static Mechanism mechanism(
      String name,
      boolean blocking,
      List<Param> own,
      Param size,
      boolean virtual,
      Mechanism.Maker maker) {
    return new Mechanism(
        name,
        blocking,
        List.of("latency"),
        1,
        Stream.concat(
                own.stream(),
                Stream.of(
                    Schedule.ARRIVALS,
                    Schedule.RATE,
                    Schedule.BURST,
                    Schedule.LENGTH,
                    SENDER_WAITS,
                    size))
            .toList(),
        virtual,
        null,
        maker);
  }
}
