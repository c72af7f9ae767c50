package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import threadping.probe.contract.Request;

/** Pure reckoning, and with it how long a visit is. */
class PaceTest {
  private static final long MS = 1_000_000;

  @Test
  void anOperationTakesItsPartOfTheTimeInWhichThreadsRan() {
    assertEquals(10, Pace.operationNs(1000, 100, 1));
    assertEquals(20, Pace.operationNs(1000, 100, 2)); // two CPUs, however many threads share them
    assertEquals(1000, Pace.operationNs(1000, 0, 1));
  }

  @Test
  void aChunkLastsAboutAsLongAsTheRequestWants() {
    assertEquals(1000, Pace.nextChunk(20, 1000, 20_000));
    assertEquals(3000, Pace.nextChunk(20, 1000, 60_000));
    assertEquals(1, Pace.nextChunk(15_000, 1000, 20_000));
    assertEquals(1, Pace.nextChunk(1e9, 1000, 20_000));
  }

  @Test
  void aChunkGrowsEightfoldAtMostAndNotForEver() {
    assertEquals(8, Pace.nextChunk(5, 1, 20_000));
    assertEquals(3200, Pace.nextChunk(5, 400, 20_000));
    assertEquals(4000, Pace.nextChunk(5, 4000, 20_000));
    assertEquals(4096, Pace.nextChunk(0.2, 4096, 1_000_000));
    assertEquals(4096, Pace.nextChunk(0, 4000, 20_000));
  }

  @Test
  void samplingCostsItsShareWhereItCan() {
    assertEquals(1, Pace.every(2500, 25, 0.02));
    assertEquals(2, Pace.every(2499, 25, 0.02));
    assertEquals(32, Pace.every(100, 25, 0.02));
    assertEquals(1, Pace.every(100, 25, 0.5));
    assertEquals(256, Pace.every(10, 25, 0.02));
    assertEquals(1024, Pace.every(0.3, 25, 0.02));
    assertEquals(1, Pace.every(0, 0, 0.02));
  }

  /** The readings that were made took half a hundredth, two, sixteen and none of the time. */
  @Test
  void howManyAreTimedFollowsFromTheReadingsThatWereMade() {
    assertEquals(32, Pace.nextEvery(64, 0.01, 0.02));
    assertEquals(64, Pace.nextEvery(64, 0.02, 0.02));
    assertEquals(128, Pace.nextEvery(64, 0.021, 0.02));
    assertEquals(8, Pace.nextEvery(1, 0.16, 0.02) * 2);
    assertEquals(1, Pace.nextEvery(1, 0, 0.02));
  }

  @Test
  void aStepIsFourfoldAtMost() {
    assertEquals(256, Pace.nextEvery(64, 0.9, 0.02));
    assertEquals(16, Pace.nextEvery(64, 0, 0.02));
    assertEquals(1024, Pace.nextEvery(1024, 0.9, 0.02));
  }

  private static Request request(long measureNs, int lines) {
    Request request = new Request();
    request.measureNs = measureNs;
    request.lines = lines;
    request.windows.throughput = 1000;
    request.windows.sampling = 300;
    request.windows.visits = 5;
    return request;
  }

  private static void assertVisit(int leadIn, int plain, int timed, Visit visit) {
    assertEquals(leadIn, visit.leadIn());
    assertEquals(plain, visit.throughput());
    assertEquals(timed, visit.sampling());
    assertEquals(leadIn + plain + timed, visit.ops());
  }

  @Test
  void aVisitHasALeadInAndTimedOperationsInProportion() {
    Request.Windows usual = request(1, 1).windows;
    assertVisit(1, 1, 1, Visit.of(1, usual));
    assertVisit(1, 10, 3, Visit.of(10, usual));
    assertVisit(2, 128, 38, Visit.of(128, usual));
    assertVisit(15, 1000, 300, Visit.of(1000, usual));
    usual.throughput = 10;
    usual.sampling = 40;
    assertVisit(1, 10, 40, Visit.of(10, usual));
  }

  @Test
  void aQuickPairTakesTheLargestWindows() {
    assertVisit(15, 1000, 300, Visit.fitted(request(10_000 * MS, 256), 100));
  }

  @Test
  void fiveVisitsToEveryLineFit() {
    // 50 ms / 100 ns = 500,000 operations over 5 * 256 * 1.5
    assertVisit(4, 260, 78, Visit.fitted(request(50 * MS, 256), 100));
  }

  @Test
  void tenVisitsToOneLineFit() {
    // 1 s / 8 ms = 125 operations over 10 * 1.5
    assertVisit(1, 8, 2, Visit.fitted(request(1000 * MS, 1), 8_000_000));
  }

  @Test
  void asManyVisitsFitAsTheRequestWants() {
    Request request = request(50 * MS, 256);
    request.windows.visits = 10;
    assertVisit(2, 130, 39, Visit.fitted(request, 100));
  }

  @Test
  void aVisitIsOneOperationWhereEachTakesATimeSlice() {
    assertVisit(1, 1, 1, Visit.fitted(request(50 * MS, 256), 8_000_000));
  }

  @Test
  void aVisitSurvivesAbsurdOperations() {
    assertVisit(1, 1, 1, Visit.fitted(request(MS, 1), 1e15));
    assertVisit(15, 1000, 300, Visit.fitted(request(3_600_000 * MS, 65_536), 0));
  }
}
