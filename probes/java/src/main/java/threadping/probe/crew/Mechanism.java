package threadping.probe.crew;

import java.util.List;

/** A way for threads to do what an experiment asks, and how its loops are made. */
public final class Mechanism {
  /** Makes the loops of one trial. Throws Failure. */
  public interface Maker {
    Loops loops(Params params, int lines, int threads);
  }

  /** The same in every language. */
  public final String name;

  /** Whether a waiting thread sleeps in the kernel. */
  public final boolean blocking;

  /** For each role the name of the distribution of what it times; the last for further ones. */
  public final List<String> timed;

  /** How many lines it is measured over unless the request says otherwise. */
  public final int lines;

  /** What a request may set. */
  public final List<Param> params;

  final Maker maker;

  /** Whether its threads are virtual ones, which have no CPU of their own (Java 21). */
  public boolean virtual;

  /** What it does, and what it costs; null for one that contract/words.json knows. */
  public String summary;

  public String costs;

  private int sinceJava;

  /** One for ordinary threads and any Java, which contract/words.json knows. */
  public Mechanism(
      String name,
      boolean blocking,
      List<String> timed,
      int lines,
      List<Param> params,
      Maker maker) {
    this.name = name;
    this.blocking = blocking;
    this.timed = timed;
    this.lines = lines;
    this.params = params;
    this.maker = maker;
  }

  /** Makes it one for virtual threads. */
  public Mechanism onVirtualThreads() {
    virtual = true;
    return sinceJava(21);
  }

  /** Makes it one for this Java and later ones. */
  public Mechanism sinceJava(int version) {
    sinceJava = version;
    return this;
  }

  /** Lets it say of itself what it does, and what it costs and when to choose it. */
  public Mechanism saying(String itsSummary, String itsCosts) {
    summary = itsSummary;
    costs = itsCosts;
    return this;
  }

  /** Why this runtime cannot run it ("Java 21"), or null if it can. */
  public String needs() {
    return Runtime.version().feature() < sinceJava ? "Java " + sinceJava : null;
  }
}
