package threadping.probe.waits;

/**
 * What a waiting side does between two polls.
 *
 * <p>What it must remember, or knows, travels in a local of the wait loop: the virtual machine
 * reads every field again after each volatile read, and with {@link Spin} the loop must hold
 * nothing but the poll.
 */
public interface Wait {
  /** What to hand to the first {@link #again} of a turn. */
  default long start() {
    return 0;
  }

  /** After a poll in vain. Returns what to hand to the next one. */
  long again(long state);
}
