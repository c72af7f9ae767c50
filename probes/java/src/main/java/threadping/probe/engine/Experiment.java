package threadping.probe.engine;

import java.util.List;
import threadping.probe.platform.Json;

/**
 * A question that this probe can answer.
 *
 * @param windows which thread leads: with ops the first, with ns an outsider
 * @param stalled what to say when nobody moves any more
 * @param stream it has one line, and flows from the first order to the last: windows are marks in
 *     it
 * @param openLoop whatever comes while it is measured is timed, or a sample of it, in every window
 *     and between them: windows open when all threads have taken up an order, so that what a thread
 *     kept waiting that stalled would be in none
 * @param mechanisms in the order in which they are shown
 */
public record Experiment(
    String name,
    List<Role> roles,
    int leastThreads,
    int mostThreads,
    Unit windows,
    String stalled,
    boolean stream,
    boolean openLoop,
    List<Mechanism> mechanisms)
    implements Json.Written {
  public static final int MOST_THREADS = 4096;

  /** What windows are measured in: operations of each thread, or nanoseconds. */
  public enum Unit {
    OPS,
    NS
  }

  /** This experiment with one mechanism. */
  public Experiment with(Mechanism mechanism) {
    return new Experiment(
        name,
        roles,
        leastThreads,
        mostThreads,
        windows,
        stalled,
        stream,
        openLoop,
        List.of(mechanism));
  }

  @Override
  public Json.Fields json() {
    List<Integer> threads = List.of(leastThreads, mostThreads);
    String unit = windows == Unit.OPS ? "ops" : "ns";
    return Json.object("name roles threads windows stalled stream open_loop mechanisms")
        .with(name, roles, threads, unit, stalled, stream, openLoop, mechanisms);
  }
}
