package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Failure;
import threadping.probe.Requests;

@Timeout(60)
class SkewTest {
  private static final List<Integer> ALLOWED = Pinning.allowedCpus();

  /** Far beyond what an exchange takes, unless somebody is kept from running. */
  private static final long PLANTED_NS = 5_000_000_000L;

  private static Skew between(LongSupplier asked, LongSupplier answered) {
    assumeTrue(ALLOWED.size() >= 2, "this machine lets us use one CPU only");
    return Skew.between(ALLOWED.get(0), ALLOWED.get(1), asked, answered);
  }

  private static LongSupplier ahead(long ns) {
    return () -> System.nanoTime() + ns;
  }

  private static void assertContains(Skew skew, long ns) {
    assertTrue(skew.leastNs <= ns && ns <= skew.mostNs, skew.leastNs + " to " + skew.mostNs);
  }

  @Test
  void aClockThatIsAheadIsFound() {
    Skew skew = between(System::nanoTime, ahead(PLANTED_NS));
    assertContains(skew, PLANTED_NS);
    assertTrue(skew.leastNs > 0);
  }

  @Test
  void aClockThatIsBehindIsFound() {
    Skew skew = between(ahead(PLANTED_NS), System::nanoTime);
    assertContains(skew, -PLANTED_NS);
    assertTrue(skew.mostNs < 0);
  }

  /** On one CPU they take turns, which says little, but nothing wrong. */
  @Test
  void boundsHoldAlsoWhereTheTwoHardlyMeet() {
    int cpu = ALLOWED.get(0);
    Skew skew = Skew.between(cpu, cpu, System::nanoTime, ahead(PLANTED_NS));
    assertTrue(skew == null || skew.leastNs <= PLANTED_NS && PLANTED_NS <= skew.mostNs);
  }

  @Test
  void ofSeveralTheFarthestCounts() {
    Skew near = new Skew(-30, 40);
    Skew far = new Skew(-500, -400);
    assertSame(far, Skew.farther(near, far));
    assertSame(far, Skew.farther(far, near));
    assertSame(near, Skew.farther(null, near));
    assertSame(near, Skew.farther(near, null));
    assertNull(Skew.farther(null, null));
    assertNull(Skew.ofAll(List.of()));
  }

  @Test
  void aCpuThatIsNoneFails() {
    String sentence =
        assertFails(
            Failure.Code.PIN_FAILED,
            () -> Skew.ofAll(List.of(List.of(ALLOWED.get(0), Requests.NO_SUCH_CPU))));
    assertEquals("CPU 65535 cannot be used here", sentence.split(" \\(")[0]);
  }
}
