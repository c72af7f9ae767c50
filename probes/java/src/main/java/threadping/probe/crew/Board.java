package threadping.probe.crew;

/** What one member tells the others. It alone writes here; made with room around it. */
final class Board {
  /** The operations that it has completed, a loop behind at most. */
  volatile long ops;

  /** The number of the order that it does, or has done. */
  volatile long obeyed;

  /** Its thread's number in /proc. */
  volatile int task;

  /** Of the order that it has done. */
  volatile long finished;
}
