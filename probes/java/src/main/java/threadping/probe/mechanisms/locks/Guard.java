package threadping.probe.mechanisms.locks;

/**
 * A lock as readers and writers use it: it performs their whole operation on a {@link Pair}, so
 * that {@code synchronized} and an optimistic read can be measured as they are written.
 */
public interface Guard {
  /** Counts up both words while nobody else is inside. */
  void write(Pair pair, Visit visit);

  /** Looks at both words while no writer is inside; gives whether they differed. */
  boolean read(Pair pair, Visit visit);

  /** One that is taken and given back: readers too are alone, unless it lets them share it. */
  interface Taken extends Guard {
    /** Returns what {@link #release} is given. */
    long acquire();

    void release(long stamp);

    default long acquireShared() {
      return acquire();
    }

    default void releaseShared(long stamp) {
      release(stamp);
    }

    @Override
    default void write(Pair pair, Visit visit) {
      long stamp = acquire();
      pair.countBoth(visit);
      release(stamp);
    }

    @Override
    default boolean read(Pair pair, Visit visit) {
      long stamp = acquireShared();
      boolean torn = pair.differ(visit);
      releaseShared(stamp);
      return torn;
    }
  }
}
