package threadping.probe.engine;

/**
 * Whether the pace has become steady: two stretches of windows, one after the other, agree within a
 * share, or within their own noise, and the virtual machine neither compiled nor collected in them.
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
    boolean wasDisturbed;

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

  /** One more window. Without an operation it says nothing but that this is not steady. */
  void add(long ns, long ops, boolean wasDisturbed) {
    double log = Math.log((double) ns / Math.max(1, ops));
    current.sum += log;
    current.squares += log * log;
    current.wasDisturbed |= wasDisturbed || ops == 0;
    current.windows++;
    if (current.windows == length) {
      before = last;
      last = current;
      current = new Stretch();
    }
  }

  /** Something was compiled or collected between two of its windows. */
  void disturb(boolean wasDisturbed) {
    current.wasDisturbed |= wasDisturbed;
  }

  /** Asked between windows; of whole stretches. */
  boolean isSteady() {
    if (before == null || before.wasDisturbed || last.wasDisturbed) {
      return false;
    }
    double noise = Math.sqrt((before.variance() + last.variance()) / length);
    return Math.abs(last.mean() - before.mean()) <= Math.max(share, noise);
  }
}
