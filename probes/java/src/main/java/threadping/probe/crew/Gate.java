package threadping.probe.crew;

/**
 * Tells whether a window is open to whoever times while somebody else opens and closes it: odd
 * while it is. Made with room around it.
 */
final class Gate {
  private volatile long turns;

  /** Opens it if it is closed, and closes it if it is open; the lead alone. */
  void turn() {
    turns = turns + 1;
  }

  long turns() {
    return turns;
  }
}
