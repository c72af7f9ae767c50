package threadping.probe.engine;

import java.util.List;
import threadping.probe.platform.Json;

/**
 * A way for threads to do what an experiment asks, and how its stage is made.
 *
 * @param name the same in every language
 * @param blocking whether a waiting thread sleeps in the kernel
 * @param timed for each role the name of the distribution of what it times; the last for further
 *     ones
 * @param lines how many lines it is measured over unless the request says otherwise
 * @param params what a request may set
 * @param virtual whether it is for virtual threads (since Java 21), which have no CPU of their own
 * @param words what it says of itself; null for one that contract/words.json knows
 */
public record Mechanism(
    String name,
    boolean blocking,
    List<String> timed,
    int lines,
    List<Param> params,
    boolean virtual,
    Description words,
    Maker maker)
    implements Json.Written {

  /** What a mechanism does; and what it costs, and when to choose it. */
  public record Description(String summary, String costs) implements Json.Written {
    @Override
    public Json.Fields json() {
      return Json.object("summary costs").with(summary, costs);
    }
  }

  /** What a trial's stage is made of, and whether the mechanism blocks. */
  public record Setup(Params params, int lines, int threads, long seed, boolean blocking) {}

  /** Makes the stage of one trial. Throws Failure. */
  public interface Maker {
    Stage stage(Setup setup);
  }

  /** One for ordinary threads, which contract/words.json knows. */
  public Mechanism(
      String name,
      boolean blocking,
      List<String> timed,
      int lines,
      List<Param> params,
      Maker maker) {
    this(name, blocking, timed, lines, params, false, null, maker);
  }

  /** This mechanism as a custom one, with its own description. */
  public Mechanism own(boolean sleeps, int lines, List<Param> params, Description words) {
    return new Mechanism(name, sleeps, timed, lines, params, virtual, words, maker);
  }

  /** Why this virtual machine cannot run it ("Java 21"), or null if it can. */
  public String needs() {
    return virtual && Runtime.version().feature() < 21 ? "Java 21" : null;
  }

  @Override
  public Json.Fields json() {
    return Json.object("name blocking timed lines params pinnable words needs")
        .with(name, blocking, timed, lines, params, !virtual, words, needs());
  }
}
