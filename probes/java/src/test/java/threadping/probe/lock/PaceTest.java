package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long MS = 1_000_000;

  @Test
  void threadsWithACpuEachAreNotCrowded() {
    assertEquals(1, Pace.crowding(1, 2));
    assertEquals(1, Pace.crowding(2, 2));
    assertEquals(2, Pace.crowding(3, 2));
    assertEquals(2048, Pace.crowding(4096, 2));
  }

  @Test
  void anOperationTakesAThreadWhatAllTakeTogetherTimesThoseThatRun() {
    assertEquals(50, Pace.operationNs(1_000_000, 40_000, 2));
    assertEquals(1_000_000, Pace.operationNs(1_000_000, 0, 1));
  }

  @Test
  void aChunkTakesTwentyMicroseconds() {
    assertEquals(1000, Pace.nextChunk(20, 1000));
    assertEquals(1000, Pace.nextChunk(20, 4096));
    assertEquals(1, Pace.nextChunk(30_000, 8));
  }

  @Test
  void aChunkGrowsEightfoldAtMost() {
    assertEquals(8, Pace.nextChunk(20, 1));
    assertEquals(64, Pace.nextChunk(20, 8));
  }

  @Test
  void aChunkIsNeverLongerThanTheLongest() {
    assertEquals(4096, Pace.nextChunk(0.3, 4096));
    assertEquals(4096, Pace.nextChunk(0, 4000));
  }

  @Test
  void timingCostsAFiftiethAtMost() {
    assertEquals(1, Pace.every(2000, 20));
    assertEquals(2, Pace.every(1999, 20));
    assertEquals(16, Pace.every(125, 20));
    assertEquals(32, Pace.every(124, 20));
  }

  @Test
  void oneInAThousandIsTimedHoweverQuick() {
    assertEquals(1024, Pace.every(1, 20));
    assertEquals(1024, Pace.every(0, 20));
    assertEquals(1, Pace.every(0, 0));
  }

  @Test
  void windowsLastTenAndFiveMilliseconds() {
    Lengths lengths = new Lengths(900 * MS, 1);
    assertEquals(10 * MS, lengths.plainNs);
    assertEquals(5 * MS, lengths.sampledNs);
  }

  @Test
  void windowsOfCrowdedThreadsLastSeveralTimeSlicesOfEach() {
    Lengths lengths = new Lengths(900 * MS, 3);
    assertEquals(60 * MS, lengths.plainNs);
    assertEquals(30 * MS, lengths.sampledNs);
  }

  @Test
  void windowsFillTheMeasuringTime() {
    assertEquals(42 * MS, new Lengths(126 * MS, 2).plainNs); // two visits
    assertEquals(10_500_000, new Lengths(126 * MS, 1).plainNs); // eight
    Lengths lengths = new Lengths(9 * MS, 1);
    assertEquals(6 * MS, lengths.plainNs);
    assertEquals(3 * MS, lengths.sampledNs);
  }
}
