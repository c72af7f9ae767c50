package threadping.probe.waits;

import java.util.List;
import java.util.Set;
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

  /** The same waits by the names of Agrona's idle strategies, and those of its that sleep. */
  public static final List<Param> AGRONA =
      List.of(
          Param.text(
              WAIT.name(),
              List.of("no-op", "busy-spin", "yielding", "backoff", "sleeping", "sleeping-millis")));

  private static final Set<String> AWAKE =
      Set.of("spin", "pause", "yield", "no-op", "busy-spin", "yielding");

  private Waits() {}

  /** Whether a thread with these parameters ever leaves its CPU idle while it waits. */
  public static boolean sleeps(Params params) {
    String wait = params.text(WAIT.name());
    return wait == null || !AWAKE.contains(wait);
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
}
