package threadping.probe.crew;

import threadping.probe.message.Evidence;
import threadping.probe.message.Outlier;
import threadping.probe.message.Request;
import threadping.probe.platform.Look;
import threadping.probe.platform.Onlooker;

/**
 * What one member timed that took long: of its durations the longest, each with what the kernel
 * counted around it. A look before a timed operation and one after an outlier bracket it. All is
 * made before it is needed; for one thread.
 */
final class Outliers {
  /** A look is renewed when it is so many times as old as it took: looking takes 1% at most. */
  private static final int LOOKS_OLD = 100;

  /** Of fewer samples no median is taken. */
  private static final long ENOUGH = 100;

  private static final int NONE = -1;

  private static final String SOFT_INTERRUPTS = "soft-interrupts";

  private static final String ONLY_SOFT =
      "Interrupts are told by soft interrupts only: the Java probe has no trace points; the C++"
          + " probe has.";

  private static final String NO_INTERRUPTS =
      "Nothing is told of interrupts: /proc/softirqs cannot be read here.";

  private static final String UNKNOWN_THREAD =
      "Nothing is told of what happened to virtual threads: the kernel does not know them.";

  /** Null where the kernel does not know the thread. */
  private final Onlooker witness;

  /** Of no length while there are fewer. */
  private final Outlier[] kept;

  private long thresholdNs;

  /** Where the next is kept: a free place, or that of the shortest. */
  private int shortest;

  /** Of those kept since the last look the longest. */
  private int longest = NONE;

  private Look before;
  private Look after;

  /** Keeps so many at most; without a witness where the kernel does not know the thread. */
  Outliers(int most, Onlooker witness) {
    this.witness = witness;
    this.kept = new Outlier[most];
    for (int each = 0; each < kept.length; each++) {
      kept[each] = new Outlier();
    }
    if (witness != null) {
      before = new Look();
      after = new Look();
      witness.look(before);
    }
  }

  /** Of which nothing is told. */
  static Outliers unseen() {
    return new Outliers(1, null);
  }

  /** Finds out what a look takes, among so many who do. */
  void measureAmong(int members) {
    if (witness != null) {
      witness.look(before);
    }
  }

  /** Forgets all: the warm-up's. */
  void clear() {
    for (Outlier outlier : kept) {
      outlier.ns = 0;
    }
    longest = NONE;
    shortest = 0;
  }

  /**
   * A timed window begins about now: what is long is told by what was recorded so far; nothing is
   * where nothing is wanted.
   */
  void begin(Request.Outliers wanted, Recorder recorder, long nowNs) {
    thresholdNs = wanted == null ? Long.MAX_VALUE : wanted.leastNs;
    if (wanted != null && recorder.samples() >= ENOUGH) {
      thresholdNs = (long) Math.max(thresholdNs, Math.ceil(wanted.factor * recorder.median()));
    }
  }

  /** Ahead of a timed operation that begins about now: renews a look that is too old. */
  void before(long nowNs) {
    if (witness != null && nowNs - before.atNs() > LOOKS_OLD * witness.lookNs()) {
      witness.look(before);
    }
  }

  /** Keeps what took long, unless so many took longer; {@link #after} is to follow. */
  void offer(long fromNs, long ns) {
    Outlier outlier = kept[shortest];
    if (ns < thresholdNs || ns <= outlier.ns) {
      return;
    }
    outlier.atNs = fromNs;
    outlier.ns = ns;
    outlier.wasSeen = false;
    if (longest == NONE || ns > kept[longest].ns) {
      longest = shortest;
    }
    shortest = nextShortest();
  }

  /** The place of the shortest; as long as there are free ones, the next of them. */
  private int nextShortest() {
    int found = (shortest + 1) % kept.length;
    for (int each = 0; kept[found].ns > 0 && each < kept.length; each++) {
      found = kept[each].ns < kept[found].ns ? each : found;
    }
    return found;
  }

  /**
   * Looks, if something was kept since the last look: the longest gets what was seen, if it began
   * after that. This look is then the one before what follows.
   */
  void after() {
    if (longest == NONE) {
      return;
    }
    if (witness != null) {
      look(kept[longest]);
    }
    longest = NONE;
  }

  /** What another thread began before the last look is not seen whole. */
  private void look(Outlier outlier) {
    if (before.atNs() > outlier.atNs) {
      return;
    }
    witness.look(after);
    outlier.seen.between(before, after);
    outlier.seen.stealNs = Look.UNKNOWN;
    outlier.wasSeen = true;
    Look older = before;
    before = after;
    after = older;
  }

  double lookNs() {
    return witness == null ? 0 : witness.lookNs();
  }

  /** Adds what was kept, and what it lacks; they are of this distribution and thread. */
  void tell(Evidence evidence, String of, int thread) {
    for (Outlier outlier : kept) {
      outlier.of = of;
      outlier.thread = thread;
      if (outlier.ns > 0) {
        evidence.outliers.add(outlier);
      }
    }
    if (witness == null) {
      evidence.lacking.add(UNKNOWN_THREAD);
    } else if (witness.interrupts() != Onlooker.Interrupts.UNTOLD) {
      evidence.interrupts = SOFT_INTERRUPTS;
      evidence.lacking.add(ONLY_SOFT);
    } else {
      evidence.lacking.add(NO_INTERRUPTS);
    }
  }
}
