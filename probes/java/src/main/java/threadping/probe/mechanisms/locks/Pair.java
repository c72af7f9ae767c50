package threadping.probe.mechanisms.locks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock, and two words that it protects. A writer counts up both, a reader compares them: it sees
 * a concurrent writer by words that differ. It reads them in the opposite order: in the same one it
 * would follow the writer through as long a work, and see both words old or both new. A writer
 * counts on from the word that is written last, so that two at a time lose an increment. Opaque
 * accesses, which are compiled as plain ones that happen, because an optimistic reader may look
 * while a writer writes.
 */
public final class Pair extends PairWords {
  private static final VarHandle FIRST;
  private static final VarHandle SECOND;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FIRST = lookup.findVarHandle(PairWords.class, "first", long.class);
      SECOND = lookup.findVarHandle(PairWords.class, "second", long.class);
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  private final Guard guard;

  public Pair(Guard guard) {
    this.guard = guard;
  }

  public void write(Visit visit) {
    guard.write(this, visit);
  }

  /** Gives whether the words differed. */
  public boolean read(Visit visit) {
    return guard.read(this, visit);
  }

  /** What the words hold. */
  public long found() {
    return (long) SECOND.getOpaque(this);
  }

  /** The work is between the two words, where another thread would see them differ. */
  void countBoth(Visit visit) {
    visit.enter();
    long next = (long) SECOND.getOpaque(this) + 1;
    FIRST.setOpaque(this, next);
    visit.work();
    SECOND.setOpaque(this, next);
  }

  boolean differ(Visit visit) {
    visit.enter();
    long seen = (long) SECOND.getOpaque(this);
    visit.work();
    return seen != (long) FIRST.getOpaque(this);
  }
}
