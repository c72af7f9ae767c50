package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import threadping.probe.Requests;
import threadping.probe.message.Request;

class VisitTest {
  private static final int MANY = 1 << 20;

  @Test
  void aQuickPairTakesTheLongestBlock() {
    Visit visit = Visit.calibrated(375_000_000, 150, 256, MANY);
    assertEquals(1000, visit.block);
    assertEquals(300, visit.singles);
    assertEquals(15, visit.leadIn);
  }

  @Test
  void aSlowPairVisitsEachLineFiveTimesAllTheSame() {
    Visit visit = Visit.calibrated(375_000_000, 50_000, 1, MANY);
    assertEquals(500, visit.block); // 7500 round trips: ten visits of 750
  }

  @Test
  void aPairOnOneCpuTakesOneByOne() {
    Visit visit = Visit.calibrated(375_000_000, 8_000_000, 256, MANY);
    assertEquals(1, visit.block);
    assertEquals(1, visit.singles);
    assertEquals(3, visit.turns());
  }

  @Test
  void singlesAreSpreadOverALongTrial() {
    Visit visit = Visit.calibrated(60_000_000_000L, 100, 256, MANY);
    double visits = 60e9 / 100 / (visit.block + visit.leadIn + 300);
    assertTrue(visit.singles * visits < MANY);
    assertEquals(1, visit.singles);
  }

  @Test
  void warmUpStaysShortUntilTheCompilerHasSeenEnoughCalls() {
    Request request = Requests.brief("cas-one-line");
    request.warmupRounds = 10;
    request.warmupOps = 100_000;
    request.warmupLimitNs = 100_000_000;
    WarmUp warmUp = WarmUp.of(request);
    long ops = 0;
    long ns = 0;
    int dueTimes = 0;
    int visits = 0;
    while (warmUp.goesOn(ops, ns) && warmUp.visit().block < Visit.MOST_ROUND_TRIPS) {
      ops += 2 * warmUp.visit().turns();
      ns += 100L * warmUp.visit().turns();
      warmUp.took(100L * warmUp.visit().turns(), ops, ns);
      dueTimes += warmUp.isCompilerDue() ? 1 : 0;
      visits++;
    }
    assertEquals(2, dueTimes);
    assertTrue(visits > 1150 && visits < 1170, visits + " visits");
    assertEquals(1000, warmUp.calibrated(MANY).block);
  }

  @Test
  void warmUpNeverGrowsForAPairThatNeedsATimeSlice() {
    Request request = Requests.brief("cas-one-line");
    WarmUp warmUp = WarmUp.of(request);
    for (long visit = 1; visit <= 10; visit++) {
      assertEquals(1, warmUp.visit().block);
      warmUp.took(24_000_000, 6 * visit, 24_000_000 * visit);
    }
    assertEquals(1, warmUp.calibrated(MANY).block);
  }

  @Test
  void warmUpWithoutOperationsEndsOnceCalibrated() {
    Request request = Requests.brief("cas-one-line");
    request.warmupRounds = 0;
    WarmUp warmUp = WarmUp.of(request);
    long ops = 0;
    int visits = 0;
    while (warmUp.goesOn(ops, 0)) {
      ops += 2 * warmUp.visit().turns();
      warmUp.took(100L * warmUp.visit().turns(), ops, 0);
      visits++;
    }
    assertEquals(11, visits); // 1, 2, 4, ... 512, 1000
  }
}
