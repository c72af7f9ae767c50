package threadping.probe.waits;

import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;

/** Every wait, and the parameters by which a request chooses one. */
public final class Waits {
  private static final Param WAIT =
      Param.text("wait", List.of("spin", "pause", "yield", "backoff"))
          .needing("an instruction that Java does not have", "tpause", "umwait", "monitorx");

  private static final Param PAUSES =
      Param.number("pauses", 1, 1, 10_000).onlyWith(WAIT.name(), "pause");

  public static final List<Param> PARAMS = List.of(WAIT, PAUSES);

  /** These waits by the names of Agrona's idle strategies, and its strategies that sleep. */
  public static final List<Param> AGRONA =
      List.of(
          Param.text(
              WAIT.name(),
              List.of("no-op", "busy-spin", "yielding", "backoff", "sleeping", "sleeping-millis")));

  private static final Set<String> AWAKE =
      Set.of("spin", "pause", "yield", "no-op", "busy-spin", "yielding");

  private Waits() {}

  /** Whether a thread that polls with these parameters ever leaves its CPU idle. */
  public static boolean sleeps(Params params) {
    String wait = params.text(WAIT.name());
    return wait != null && !AWAKE.contains(wait);
  }

  /** For a mechanism without a parameter for it whose threads keep their CPU ... */
  public static Wait pausing() {
    return new Pause(1);
  }

  /** ... and for one whose threads give it away. */
  public static Wait yielding() {
    return new Yield();
  }

  /** The wait that these parameters name. */
  public static Wait of(Params params) {
    return switch (params.text(WAIT.name())) {
      case "pause" -> new Pause(params.number(PAUSES.name()));
      case "busy-spin" -> pausing();
      case "yield", "yielding" -> yielding();
      case "sleeping" -> new Sleep(1_000);
      case "sleeping-millis" -> new Sleep(1_000_000);
      case "backoff" -> new Backoff();
      default -> new Spin();
    };
  }

  /**
   * Polls again at once: the fastest to see the news, and the greediest. A waiting side keeps
   * asking for the line.
   */
  static final class Spin implements Wait {
    @Override
    public long again(long state) {
      return state;
    }
  }

  /**
   * Pauses some times between two polls ({@code Thread.onSpinWait}, a PAUSE on x86): leaves the
   * line to the writer and the core to its other hardware thread. How long a PAUSE takes is the
   * CPU's: some ten cycles before Intel's Skylake, some 140 since (Intel 64 and IA-32 Architectures
   * Optimization Reference Manual, "Pause Latency in Skylake").
   */
  static final class Pause implements Wait {
    private final long pauses;

    Pause(long pauses) {
      this.pauses = pauses;
    }

    @Override
    public long start() {
      return pauses;
    }

    @Override
    public long again(long state) {
      for (long left = state; left > 0; left--) {
        Thread.onSpinWait();
      }
      return state;
    }
  }

  /**
   * Offers the CPU to any other thread between two polls: a system call each time, but two threads
   * on one CPU take turns without waiting for a time slice to end.
   */
  static final class Yield implements Wait {
    @Override
    public long again(long state) {
      Thread.yield();
      return state;
    }
  }

  /**
   * Sleeps for so long between two polls, by default as Agrona's SleepingIdleStrategy: little CPU
   * time, and a latency that the timer decides.
   */
  record Sleep(long ns) implements Wait {
    @Override
    public long again(long state) {
      LockSupport.parkNanos(ns);
      return state;
    }
  }

  /**
   * Spins, then yields, then sleeps for ever longer: little latency while the other side is quick,
   * little CPU time when it is not. Nobody wakes the thread: it polls again by itself.
   *
   * <p>The steps are those of Agrona's BackoffIdleStrategy with its defaults (DEFAULT_MAX_SPINS,
   * DEFAULT_MAX_YIELDS, DEFAULT_MIN_PARK_PERIOD_NS, DEFAULT_MAX_PARK_PERIOD_NS). The state is the
   * number of polls in vain in this turn.
   */
  static final class Backoff implements Wait {
    private static final int SPINS = 10;
    private static final int YIELDS = 5;
    private static final long SHORTEST_PARK_NS = 1_000;
    private static final long LONGEST_PARK_NS = 1_000_000;

    /** Doublings after which a park is the longest. */
    private static final int DOUBLINGS = 10;

    @Override
    public long again(long polls) {
      if (polls < SPINS) {
        Thread.onSpinWait();
      } else if (polls < SPINS + YIELDS) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(parkNs(polls - SPINS - YIELDS));
      }
      return polls + 1;
    }

    /** How long a park lasts after {@code parks} parks in the same turn. */
    static long parkNs(long parks) {
      return Math.min(SHORTEST_PARK_NS << Math.min(parks, DOUBLINGS), LONGEST_PARK_NS);
    }
  }
}
