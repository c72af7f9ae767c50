package threadping.probe.engine;

/**
 * Whether the pace has become steady: two stretches of windows, one after the other, agree within a
 * share, or within their own noise, and the virtual machine collected nothing in them and compiled
 * for no more than that share of their time. It never quite stops compiling: what is called once in
 * a hundred windows comes late.
 */
final class Steadiness {
  private final double share;
  private final int length;

  private Stretch before;
  private Stretch last;
  private Stretch current = new Stretch();

  /** Logarithms of what an operation took, in each window of a stretch. */
  private static final class Stretch {
    int windows;
    double sum;
    double squares;
    long ns;
    long compiledMs;
    boolean isEmpty;
    boolean hasCollected;

    boolean isQuiet(double share) {
      return !isEmpty && !hasCollected && compiledMs * 1e6 <= share * ns;
    }

    double mean() {
      return sum / windows;
    }

    double variance() {
      return Math.max(0, (squares - sum * mean()) / Math.max(1, windows - 1));
    }
  }

  /** Of stretches of so many windows. */
  Steadiness(double share, int length) {
    this.share = share;
    this.length = length;
  }

  /**
   * One more throughput window. Without an operation it says nothing but that this is not steady.
   */
  void add(long ns, long ops) {
    double log = Math.log((double) ns / Math.max(1, ops));
    current.sum += log;
    current.squares += log * log;
    current.isEmpty |= ops == 0;
    current.windows++;
    if (current.windows == length) {
      before = last;
      last = current;
      current = new Stretch();
    }
  }

  /** In so much time of windows of either kind; told before the window itself is added. */
  void during(long ns, long compiledMs, boolean hasCollected) {
    current.ns += ns;
    current.compiledMs += compiledMs;
    current.hasCollected |= hasCollected;
  }

  /** Asked between windows; of whole stretches. */
  boolean isSteady() {
    if (before == null || !before.isQuiet(share) || !last.isQuiet(share)) {
      return false;
    }
    double noise = Math.sqrt((before.variance() + last.variance()) / length);
    return Math.abs(last.mean() - before.mean()) <= Math.max(share, noise);
  }
}
