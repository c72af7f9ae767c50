package threadping.probe.engine;

import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import threadping.probe.contract.Evidence;
import threadping.probe.contract.Request;
import threadping.probe.platform.Onlooker;
import threadping.probe.platform.Onlooker.Seen;

/**
 * What one worker timed that took long: of its durations the longest, each with what the kernel
 * counted around it. A look before it and one after bracket it.
 *
 * <p>All looking comes out of one budget, or looking at what took long would make more take long: a
 * token each hundred times that a look takes, and room for two. A look ahead leaves one for a look
 * behind. What there is no token for is kept without a look.
 */
final class Outliers {
  /** Looking takes a hundredth of the time. */
  private static final int PART = 100;

  private static final double ROOM = 2;

  /** Of fewer samples no median is taken. */
  private static final long ENOUGH = 100;

  /** So many looks tell what one takes, and each further one counts for so much of that. */
  private static final int LOOKS = 16;

  private static final String UNKNOWN_THREAD =
      "Nothing is told of what happened to virtual threads: the kernel does not know them.";

  private static final class Kept {
    final long atNs;
    final long ns;
    Seen seen;

    Kept(long atNs, long ns) {
      this.atNs = atNs;
      this.ns = ns;
    }
  }

  // Linked once: of hundreds of threads that came to a lambda together each would link it.
  private static final Comparator<Kept> BY_LENGTH = (one, other) -> Long.compare(one.ns, other.ns);
  private static final LongSupplier CLOCK = System::nanoTime;

  /** Null where the kernel does not know the thread. */
  private final Onlooker onlooker;

  private final LongSupplier clock;

  /** How many threads share a CPU: they share its hundredth. */
  private final double crowd;

  private final int most;

  /** The shortest is its head. */
  private final PriorityQueue<Kept> kept = new PriorityQueue<>(BY_LENGTH);

  private long thresholdNs = Long.MAX_VALUE;

  /** Of those kept since the last look. */
  private Kept longest;

  private double lookNs;
  private double tokens = ROOM;
  private long filledNs;
  private long lookedNs;
  private long looks;

  Outliers(int most, Onlooker onlooker, double crowd) {
    this(most, onlooker, crowd, CLOCK);
  }

  /** Keeps so many at most; without an onlooker where the kernel does not know the thread. */
  Outliers(int most, Onlooker onlooker, double crowd, LongSupplier clock) {
    this.most = most;
    this.onlooker = onlooker;
    this.crowd = Math.max(1, crowd);
    this.clock = clock;
    if (onlooker != null) {
      long[] took = new long[LOOKS];
      for (int each = 0; each < LOOKS; each++) {
        took[each] = -onlooker.look() + clock.getAsLong();
      }
      Arrays.sort(took);
      lookNs = Math.max(1, took[LOOKS / 2]);
      lookedNs = filledNs = clock.getAsLong();
    }
  }

  /** Forgets all: the warm-up's. */
  void clear() {
    kept.clear();
    longest = null;
    looks = 0;
  }

  /** What is long from now on is told by what was recorded so far. */
  void begin(Request.Outliers wanted, Histogram histogram) {
    thresholdNs = wanted.leastNs;
    if (histogram.samples() >= ENOUGH) {
      thresholdNs = (long) Math.max(thresholdNs, Math.ceil(wanted.factor * histogram.median()));
    }
  }

  /** The budget's: from one look to the next on the average, at least. */
  private double periodNs() {
    return PART * lookNs * crowd;
  }

  private boolean has(double wanted, long nowNs) {
    tokens = Math.min(ROOM, tokens + (nowNs - filledNs) / periodNs());
    filledNs = nowNs;
    return tokens >= wanted;
  }

  private void look() {
    tokens--;
    looks++;
    lookedNs = onlooker.look();
    double took = clock.getAsLong() - lookedNs;
    lookNs += (Math.min(took, 4 * lookNs) - lookNs) / LOOKS; // one may have been interrupted
  }

  /** Ahead of something that is timed. */
  void before() {
    if (onlooker != null && longest == null && has(ROOM, clock.getAsLong())) {
      look();
    }
  }

  /** Keeps what took long, unless so many took longer; {@link #after} is to follow. */
  void offer(long fromNs, long ns) {
    if (ns < thresholdNs || kept.size() == most && ns <= kept.element().ns) {
      return;
    }
    if (kept.size() == most && kept.remove() == longest) {
      longest = null;
    }
    Kept outlier = new Kept(fromNs, ns);
    kept.add(outlier);
    if (longest == null || ns > longest.ns) {
      longest = outlier;
    }
  }

  /**
   * Looks, if something was kept since the last look: the longest gets what was seen, if that look
   * saw it begin and was not long before. This look is then the one before what follows.
   */
  void after() {
    if (longest != null && onlooker != null) {
      long now = clock.getAsLong();
      boolean sawItBegin = longest.atNs >= lookedNs && longest.atNs - lookedNs <= periodNs();
      boolean isRecent = now - longest.atNs - longest.ns <= periodNs();
      if (sawItBegin && isRecent && has(1, now)) {
        look();
        longest.seen = onlooker.seen();
      }
    }
    longest = null;
  }

  /** Adds what was kept, and what it lacks; they are of this distribution and thread. */
  void tell(Evidence evidence, String of, int thread) {
    for (Kept each : kept) {
      evidence.outliers.add(new Evidence.Outlier(of, thread, each.atNs, each.ns, each.seen));
    }
    evidence.looks += looks;
    if (onlooker == null) {
      evidence.lacking.add(UNKNOWN_THREAD);
    } else {
      evidence.interrupts = onlooker.interrupts();
      evidence.lacking.addAll(onlooker.lacking());
    }
  }

  double lookNs() {
    return lookNs;
  }
}
