package threadping.probe.engine;

/**
 * A thread's part in an experiment. It is made by its own thread, once that runs on its CPU; one
 * call is a whole loop, and what it costs to find the mechanism is paid once a loop.
 *
 * <p>A fresh virtual machine that measures one mechanism sees one implementation of it in these
 * loops, and inlines it. It is called in chunks, so that it is compiled as a method: of one long
 * call only a replacement under way (OSR) would be.
 *
 * <p>Measuring threads are never interrupted: a method that could be declares it, and handles
 * nothing.
 */
public interface Player {
  /**
   * The end of a stream: what is sent last holds this bit, and in the others how many came before,
   * or whose end it is. No other number reaches it.
   */
  long END = 1L << 61;

  /**
   * Performs a task. Returns how many operations it completed: fewer where {@link Stage#stop} ended
   * a wait, or where the stream ended; more where one step of it is several operations. Throws
   * Failure for what it saw wrong.
   */
  int run(Task task, Samples samples) throws InterruptedException;

  /**
   * Nothing more is done on this line for now; in a stream, once, after all else, its end: a thread
   * that sends says that nothing follows, and one that receives takes until all its senders have.
   * Returns the operations that it completed meanwhile.
   */
  default int leave(int line, Samples samples) throws InterruptedException {
    return 0;
  }
}
