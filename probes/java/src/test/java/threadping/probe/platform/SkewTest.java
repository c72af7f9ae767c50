package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is made of bounds; that they hold is tested in C++ (platform/skew). */
@Timeout(60)
class SkewTest {
  private static final List<Integer> ALLOWED = Pinning.allowedCpus();

  @Test
  void boundsAreInOrder() {
    assumeTrue(ALLOWED.size() >= 2, "this machine lets us use one CPU only");
    Skew skew = Skew.between(ALLOWED.get(0), ALLOWED.get(1));
    assertTrue(skew == null || skew.leastNs() <= skew.mostNs()); // on a busy machine nobody comes
  }

  @Test
  void twoMeasurementsOfAPairHoldTogether() {
    assertEquals(
        new Skew(-20, 40), Skew.together(new Skew(-886_000, 2_810_000), new Skew(-20, 40)));
    assertEquals(new Skew(-20, 30), Skew.together(new Skew(-20, 50), new Skew(-60, 30)));
    assertEquals(new Skew(1, 2), Skew.together(null, new Skew(1, 2)));
    assertEquals(new Skew(1, 2), Skew.together(new Skew(1, 2), null));
    assertNull(Skew.together(null, null));
  }

  @Test
  void clocksThatDriftedAreToldFromOneToTheOther() {
    assertEquals(new Skew(-40, 80), Skew.together(new Skew(-50, -40), new Skew(80, 90)));
  }

  /** And not the widest, which says least. */
  @Test
  void ofSeveralTheOneThatIsCertainlyFarthestCounts() {
    Skew wide = new Skew(-886_000, 2_810_000);
    Skew far = new Skew(-500, -400);
    Skew near = new Skew(100, 900);
    assertSame(far, Skew.farther(near, Skew.farther(wide, far)));
    assertSame(far, Skew.farther(far, near));
    assertSame(near, Skew.farther(null, near));
    assertNull(Skew.farther(null, null));
    assertEquals(0, wide.certainNs());
    assertEquals(400, far.certainNs());
  }
}
