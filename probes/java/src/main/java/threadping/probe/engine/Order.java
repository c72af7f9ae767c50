package threadping.probe.engine;

/**
 * What all workers are to do, until the next order.
 *
 * @param number a later order has a larger one
 * @param count how many operations of each worker
 * @param task how many of them are one loop, between two looks at the orders; none: no work
 */
record Order(long number, Kind kind, long count, Task task) {
  enum Kind {
    /** What the task says; without one, rest. */
    WORK,

    /** Make what looks into outliers, now that all stand where they are to stand. */
    OPEN,

    /** Read those counters that take long to read. */
    PREPARE,

    /** Read the others: what is counted from here on is measuring. */
    BEGIN,

    /** Read them again, the quick ones first, */
    END,

    /** and then those that take long. */
    FINISH,

    /** End. */
    LEAVE
  }

  /** As many operations as there is time for until the next order. */
  static final long UNTIL_TOLD = Long.MAX_VALUE;

  boolean isWork() {
    return task.count() > 0;
  }
}
