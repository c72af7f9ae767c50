package threadping.probe.mechanisms.locks;

/**
 * Load, add, store, and nothing between them that keeps others out: increments are lost whenever
 * two threads read the same value. Accesses without any order but their own (opaque), so that the
 * compiler may not add the whole loop up at once.
 */
final class Unprotected extends Counting implements Counter {
  @Override
  public long add(int thread) {
    long seen = (long) COUNT.getOpaque(this);
    COUNT.setOpaque(this, seen + 1);
    return seen;
  }

  /** A value that is not its own may be one that was overwritten. */
  @Override
  public boolean tellsHandOvers() {
    return false;
  }
}
