package threadping.probe.notify.mechanisms;

import java.util.List;
import java.util.function.Supplier;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.crew.Params;
import threadping.probe.notify.Bell;
import threadping.probe.notify.NotifyLoops;

/** Every mechanism of the notify experiment: a new one is one new file and one line here. */
public final class Mechanisms {
  private static final long MICROSECOND = 1000;
  private static final long LONGEST_PAUSE = 100_000;

  /** A virtual notifier that never parks leaves the others no carrier: nobody takes it away. */
  private static final long SHORTEST_PARK_NS = 1;

  /** The bytes that a notifier fills before each call, as published. */
  private static final Param BUFFER = Param.number("buffer", 4096, 0, 1 << 20);

  /** The notifier's pause after each call, in microseconds ... */
  private static final Param PAUSE = Param.number("pause", 1000, 0, LONGEST_PAUSE);

  /** ... and the waiter's after each wake-up. */
  private static final Param WAITER_PAUSE = Param.number("waiter-pause", 10, 0, LONGEST_PAUSE);

  private static final List<Param> PARAMS = List.of(BUFFER, PAUSE, WAITER_PAUSE);

  /** What notifiers time, and what waiters do. */
  private static final List<String> TIMED = List.of("call", "wake");

  public static final List<Mechanism> ALL =
      List.of(
          sleeping("monitor", Monitor::new),
          sleeping("condition", Condition::new),
          sleeping("unpark", Unpark::new),
          sleeping("semaphore", Semaphore::new),
          paused("virtual-unpark", SHORTEST_PARK_NS, Unpark::new).onVirtualThreads());

  private Mechanisms() {}

  private static Mechanism sleeping(String name, Supplier<Bell> bell) {
    return paused(name, 0, bell);
  }

  /** One whose notifiers pause for so long at least. */
  private static Mechanism paused(String name, long leastPauseNs, Supplier<Bell> bell) {
    return new Mechanism(
        name,
        true,
        TIMED,
        1,
        PARAMS,
        (params, lines, threads) ->
            new NotifyLoops(bell, lines, threads, rounds(params, leastPauseNs)));
  }

  private static NotifyLoops.Rounds rounds(Params params, long leastPauseNs) {
    return new NotifyLoops.Rounds(
        (int) params.number(BUFFER.name),
        MICROSECOND * params.number(PAUSE.name),
        MICROSECOND * params.number(WAITER_PAUSE.name),
        leastPauseNs);
  }
}
