package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import threadping.probe.lock.mechanisms.Cell;

/** Which operations are timed: a cell whose waits are the number of the operation. */
class SampledLoopTest {
  private static final class Numbered implements Cell {
    int performed;

    @Override
    public void perform(int thread, int critical) {
      performed++;
    }

    @Override
    public long performTimed(int thread, int critical) {
      return performed++;
    }

    @Override
    public long found() {
      return performed;
    }
  }

  private final Numbered cell = new Numbered();
  private final SampledLoop loop = new SampledLoop(0, 0, 0, 4);

  @Test
  void oneInEveryIsTimedAcrossCalls() {
    loop.time(4, Integer.MAX_VALUE);
    for (int count : new int[] {1, 1, 1, 1, 1, 5}) {
      loop.perform(cell, count);
    }
    assertArrayEquals(new long[] {0, 4, 8}, loop.waits());
    assertEquals(10, cell.performed);
  }

  @Test
  void allAreTimedWhereEveryIsOne() {
    loop.time(1, Integer.MAX_VALUE);
    loop.perform(cell, 3);
    assertArrayEquals(new long[] {0, 1, 2}, loop.waits());
  }

  @Test
  void whenTheRoomIsFullAllGoOnUntimed() {
    loop.time(2, Integer.MAX_VALUE);
    loop.perform(cell, 100);
    loop.perform(cell, 1);
    assertArrayEquals(new long[] {0, 2, 4, 6}, loop.waits());
    assertEquals(101, cell.performed);
  }

  @Test
  void withoutRoomNothingIsTimed() {
    loop.time(2, 0);
    loop.perform(cell, 9);
    assertArrayEquals(new long[] {}, loop.waits());
    assertEquals(9, cell.performed);
  }

  @Test
  void clearForgetsWhatWasKept() {
    loop.time(1, Integer.MAX_VALUE);
    loop.perform(cell, 4);
    loop.clear();
    loop.time(1, Integer.MAX_VALUE);
    loop.perform(cell, 1);
    assertArrayEquals(new long[] {4}, loop.waits());
  }
}
