package threadping.probe.signal;

import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The published locked signalling ("Locks &amp; Condition Variables - Latency Impact", 2011): one
 * ReentrantLock, two Conditions. A side takes the lock and awaits until the other's value has come;
 * it takes the lock again, sets its own value and signals the other's condition while it still
 * holds the lock.
 *
 * <p>The write that must be seen is the value; the lock orders it. Whether a hand-over sleeps or
 * not is the scheduler's choice: what is measured is mostly the wake-up of an idle CPU.
 */
final class ConditionSignal implements SignalMechanism {
  @Override
  public String name() {
    return "condition";
  }

  @Override
  public String summary() {
    return "The published locked signalling: one lock and two conditions, signalled while the lock"
        + " is held.";
  }

  @Override
  public String cpuCost() {
    return "Sleeps while it waits and pays a wake-up for every hand-over; for threads that must not"
        + " burn a CPU.";
  }

  @Override
  public boolean blocking() {
    return true;
  }

  @Override
  public Cells cells(int count, Map<String, Object> params) {
    return new Locks(count);
  }

  /** A side's value, and where the other side waits for it. Guarded by the cell's lock. */
  private static final class Value {
    final Condition changed;
    long value;

    Value(ReentrantLock lock) {
      changed = lock.newCondition();
    }
  }

  private static final class Cell {
    final ReentrantLock lock = new ReentrantLock();
    final Value ping = new Value(lock);
    final Value pong = new Value(lock);
  }

  private static final class Locks implements Cells {
    private final Cell[] cells;

    Locks(int count) {
      cells = new Cell[count];
      for (int cell = 0; cell < count; cell++) {
        cells[cell] = new Cell();
      }
    }

    @Override
    public long pingTurn(int index, long expected) {
      Cell cell = cells[index];
      return turn(cell.lock, cell.ping, cell.pong, expected);
    }

    @Override
    public long pongTurn(int index, long expected) {
      Cell cell = cells[index];
      return turn(cell.lock, cell.pong, cell.ping, expected);
    }

    private static long turn(ReentrantLock lock, Value own, Value theirs, long expected) {
      long wanted = TwoCounters.theirs(expected);
      long seen;
      lock.lock();
      try {
        while ((seen = theirs.value) < wanted) {
          theirs.changed.await();
        }
      } catch (InterruptedException impossible) {
        throw new IllegalStateException("Nobody interrupts a measuring thread.", impossible);
      } finally {
        lock.unlock();
      }
      if (seen != wanted) {
        return TwoCounters.handOvers(expected, seen);
      }
      lock.lock();
      try {
        own.value++; // counts on from the poison if the cell was stopped in between
        own.changed.signal();
      } finally {
        lock.unlock();
      }
      return expected;
    }

    @Override
    public void stop(int index) {
      Cell cell = cells[index];
      cell.lock.lock();
      try {
        cell.ping.value = POISON;
        cell.pong.value = POISON;
        cell.ping.changed.signalAll();
        cell.pong.changed.signalAll();
      } finally {
        cell.lock.unlock();
      }
    }

    @Override
    public long peek(int index) {
      Cell cell = cells[index];
      cell.lock.lock();
      try {
        return cell.ping.value + cell.pong.value;
      } finally {
        cell.lock.unlock();
      }
    }
  }
}
