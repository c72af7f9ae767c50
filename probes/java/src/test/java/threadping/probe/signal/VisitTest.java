package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

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
}
