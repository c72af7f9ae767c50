package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Pure reckoning: the pace is planted. */
class SteadinessTest {
  private static final long OPS = 1_000_000;

  private final Steadiness steadiness = new Steadiness(0.02, 4);

  private void add(double... nsPerOp) {
    for (double ns : nsPerOp) {
      window(steadiness, ns, 0, false);
    }
  }

  private static void window(Steadiness own, double ns, long compiledMs, boolean hasCollected) {
    own.during((long) (ns * OPS), compiledMs, hasCollected);
    own.add((long) (ns * OPS), OPS);
  }

  @Test
  void itTakesTwoWholeStretchesThatAgree() {
    add(10, 10, 10, 10, 10, 10, 10);
    assertFalse(steadiness.isSteady());
    add(10);
    assertTrue(steadiness.isSteady());
  }

  @Test
  void aPaceThatStillGrowsIsNotSteady() {
    add(40, 40, 40, 40, 20, 20, 20, 20);
    assertFalse(steadiness.isSteady());
    add(19.5, 19.5, 19.5, 19.5);
    assertFalse(steadiness.isSteady(), "2.5% is more than 2%");
    add(19.3, 19.3, 19.3, 19.3);
    assertTrue(steadiness.isSteady());
  }

  /** Stretches of 30% noise differ by more than 2%, and by no more than noise does. */
  @Test
  void noiseIsNoDrift() {
    add(10, 13, 10, 13, 13.5, 10, 13.5, 10);
    assertTrue(steadiness.isSteady());
  }

  @Test
  void noiseIsMostlySteadyAndADriftNever() {
    Random random = new Random(7);
    int steady = 0;
    int drifting = 0;
    for (int trial = 0; trial < 1000; trial++) {
      Steadiness noise = new Steadiness(0.02, 4);
      Steadiness drift = new Steadiness(0.02, 4);
      for (int window = 0; window < 8; window++) {
        double factor = 1 + 0.01 * random.nextGaussian();
        noise.add((long) (10 * factor * OPS), OPS);
        drift.add((long) ((window < 4 ? 12 : 10) * factor * OPS), OPS);
      }
      steady += noise.isSteady() ? 1 : 0;
      drifting += drift.isSteady() ? 1 : 0;
    }
    assertTrue(steady > 950, steady + " of 1000");
    assertEquals(0, drifting);
  }

  /** A window is 10 ms: 2% of a stretch is 0.8 ms. */
  @Test
  void compilingOrCollectingInEitherStretchIsNotSteady() {
    for (int disturbed = 0; disturbed < 8; disturbed++) {
      Steadiness compiles = new Steadiness(0.02, 4);
      Steadiness collects = new Steadiness(0.02, 4);
      for (int window = 0; window < 8; window++) {
        window(compiles, 10, window == disturbed ? 1 : 0, false);
        window(collects, 10, 0, window == disturbed);
      }
      assertFalse(compiles.isSteady(), "in window " + disturbed);
      assertFalse(collects.isSteady(), "in window " + disturbed);
    }
  }

  /** A hundredth of the time, in sampling windows too. */
  @Test
  void compilingALittleIsSteady() {
    Steadiness long100 = new Steadiness(0.02, 4);
    for (int window = 0; window < 8; window++) {
      window(long100, 100, 1, false);
      long100.during(100 * OPS, 1, false);
    }
    assertTrue(long100.isSteady());
  }

  @Test
  void aWindowWithoutAnOperationSaysNothing() {
    for (int window = 0; window < 8; window++) {
      steadiness.add(10 * OPS, 0);
    }
    assertFalse(steadiness.isSteady());
  }
}
