package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import threadping.probe.contract.Evidence;
import threadping.probe.contract.Evidence.Outlier;
import threadping.probe.contract.Request;
import threadping.probe.platform.Onlooker;

/**
 * What is long, what of it is kept and what gets a look; the clock and the onlooker are planted.
 */
class OutliersTest {
  private static final long LOOK_NS = 1000;
  private static final long PERIOD_NS = 100 * LOOK_NS;

  private final Request.Outliers wanted = new Request.Outliers();
  private final Histogram histogram = new Histogram();
  private long now = 1_000_000_000;
  private int looks;

  /** A look takes so long that it can be seen in the time. */
  private final class Planted implements Onlooker {
    private long before;
    private long last;

    @Override
    public long look() {
      looks++;
      before = last;
      last = now;
      now += LOOK_NS;
      return last;
    }

    @Override
    public Seen seen() {
      return new Seen(last - before, 0, 0, 0, null, null, 0, 0, 0, 0, null);
    }

    @Override
    public String interrupts() {
      return "trace-points";
    }

    @Override
    public List<String> lacking() {
      return List.of("Nothing is lacking.");
    }
  }

  OutliersTest() {
    wanted.factor = 2.5;
    wanted.leastNs = 200;
  }

  private Outliers outliers(int most, double crowd) {
    Outliers outliers = new Outliers(most, new Planted(), crowd, () -> now);
    outliers.begin(wanted, histogram);
    looks = 0;
    return outliers;
  }

  private Outliers blind() {
    Outliers outliers = new Outliers(3, null, 1, () -> now);
    outliers.begin(wanted, histogram);
    return outliers;
  }

  private void record(int times, long ns) {
    for (int each = 0; each < times; each++) {
      histogram.record(ns);
    }
  }

  /** Time passes, the end of which is so long an operation. */
  private void pass(Outliers outliers, long ns, long operationNs) {
    now += ns;
    outliers.offer(now - operationNs, operationNs);
  }

  private static List<Outlier> kept(Outliers outliers) {
    Evidence evidence = new Evidence();
    outliers.tell(evidence, "call", 7);
    evidence.fields(); // sorts them by time
    return evidence.outliers;
  }

  private static void assertKept(Outliers outliers, Long... durations) {
    assertEquals(List.of(durations), kept(outliers).stream().map(Outlier::ns).sorted().toList());
  }

  private static void offer(Outliers outliers, long... durations) {
    for (long ns : durations) {
      outliers.offer(ns, ns);
    }
  }

  // ---- what is long ----

  @Test
  void whatIsLongIsToldByTheLeastAloneWhileThereAreFewSamples() {
    record(99, 1000);
    Outliers outliers = blind();
    offer(outliers, 199, 200);
    assertKept(outliers, 200L);
  }

  @Test
  void whatIsLongIsAMultipleOfTheMedian() {
    record(100, 1001);
    Outliers outliers = blind();
    offer(outliers, 2502, 2503, 2504); // 2502.5
    assertKept(outliers, 2503L, 2504L);
  }

  @Test
  void theLongestAreKept() {
    Outliers outliers = blind();
    offer(outliers, 500, 300, 400);
    assertKept(outliers, 300L, 400L, 500L);
    offer(outliers, 250, 300);
    assertKept(outliers, 300L, 400L, 500L);
    offer(outliers, 450, 600);
    assertKept(outliers, 450L, 500L, 600L);
    outliers.clear();
    assertKept(outliers);
  }

  @Test
  void eachSaysOfWhatAndWhenAndByWhom() {
    Outliers outliers = blind();
    offer(outliers, 500);
    outliers.after();
    assertEquals(List.of(new Outlier("call", 7, 500, 500, null)), kept(outliers));
    Evidence evidence = new Evidence();
    outliers.tell(evidence, "call", 7);
    assertEquals(
        "[Nothing is told of what happened to virtual threads: the kernel does not know them.]",
        evidence.lacking.toString());
  }

  // ---- one budget for all looking ----

  private long seen(Outliers outliers) {
    return kept(outliers).stream().filter(outlier -> outlier.seen() != null).count();
  }

  @Test
  void theLongestBetweenTwoLooksGetsWhatWasSeen() {
    Outliers outliers = outliers(9, 1);
    outliers.before();
    assertEquals(1, looks, "a token is left for a look behind");
    pass(outliers, 2000, 400);
    pass(outliers, 2000, 600);
    pass(outliers, 2000, 500);
    outliers.after();
    assertEquals(2, looks);
    assertEquals(1, seen(outliers));
    Outlier longest =
        kept(outliers).stream().filter(outlier -> outlier.seen() != null).findFirst().get();
    assertEquals(600, longest.ns());
    assertEquals(7000, longest.seen().ns(), "from look to look");
  }

  /** Every operation is long, for a second: this once told the story of the ring. */
  @Test
  void aFloodOfOutliersCostsAHundredthAndTwoLooks() {
    for (double crowd : new double[] {0.5, 1, 4}) {
      Outliers outliers = outliers(100_000, crowd);
      long start = now;
      while (now - start < 1_000_000_000) {
        outliers.before();
        pass(outliers, 2000, 1000);
        outliers.after();
      }
      double most = (now - start) / (PERIOD_NS * Math.max(1, crowd)) + 2;
      assertTrue(looks <= most, looks + " looks, at most " + most);
      assertTrue(looks > most / 2, "and the budget is used: " + looks);
      assertTrue(seen(outliers) > looks / 8, seen(outliers) + " were seen");
    }
  }

  @Test
  void aLookAheadLeavesATokenForOneBehind() {
    Outliers outliers = outliers(9, 1);
    outliers.before();
    outliers.before();
    assertEquals(1, looks);
    now += PERIOD_NS / 2;
    outliers.before();
    assertEquals(1, looks, "half a token is none");
    now += PERIOD_NS / 2;
    outliers.before();
    assertEquals(2, looks);
  }

  @Test
  void whatBeganBeforeTheLookIsKeptAndNotSeen() {
    Outliers outliers = outliers(9, 1);
    now += 10;
    outliers.before();
    pass(outliers, 2000, 5000);
    outliers.after();
    assertKept(outliers, 5000L);
    assertEquals(0, seen(outliers));
    assertEquals(1, looks);
  }

  /** The stretch in between would be held against it. */
  @Test
  void whatBeganLongAfterTheLookIsKeptAndNotSeen() {
    Outliers outliers = outliers(9, 1);
    outliers.before();
    pass(outliers, 2 * PERIOD_NS, 1000);
    outliers.after();
    assertEquals(0, seen(outliers));
    assertEquals(1, looks);
  }

  /** However long it was itself. */
  @Test
  void whatBeganSoonAfterTheLookIsSeen() {
    Outliers outliers = outliers(9, 1);
    outliers.before();
    pass(outliers, 50 * PERIOD_NS, 49 * PERIOD_NS + PERIOD_NS / 2);
    outliers.after();
    assertEquals(1, seen(outliers));
  }

  @Test
  void tellsHowManyLooksItMadeAndWhatOneTakes() {
    Outliers outliers = outliers(9, 1);
    outliers.before();
    outliers.clear(); // that was the warm-up's
    now += 2 * PERIOD_NS;
    outliers.before();
    Evidence evidence = new Evidence();
    outliers.tell(evidence, "call", 0);
    assertEquals(1, evidence.looks);
    assertEquals(LOOK_NS, outliers.lookNs());
    assertEquals("trace-points", evidence.interrupts);
    assertEquals("[Nothing is lacking.]", evidence.lacking.toString());
  }
}
