package threadping.probe.lock.mechanisms;

/**
 * The same lock, which whoever has waited longest gets: under contention every hand-over wakes a
 * sleeper.
 */
final class ReentrantFair extends Reentrant {
  ReentrantFair() {
    super(
        "reentrant-lock-fair",
        "A fair ReentrantLock around the increment: whoever has waited longest gets it.",
        "A wake-up for every hand-over under contention; for those who must not starve.",
        true);
  }
}
