package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import threadping.probe.Requests;
import threadping.probe.message.Evidence;
import threadping.probe.message.Outlier;
import threadping.probe.message.Request;
import threadping.probe.platform.Onlooker;

/** Which durations are long, which of them are kept, and which get what was seen. */
class OutliersTest {
  private static final long LATER = System.nanoTime() + Requests.HOUR;

  private final Request.Outliers wanted = new Request.Outliers();
  private final Recorder recorder = new Recorder();
  private final Outliers blind = new Outliers(3, null);

  OutliersTest() {
    wanted.factor = 2.5;
    wanted.leastNs = 200;
  }

  private void begin(Outliers outliers) {
    outliers.begin(wanted, recorder, System.nanoTime());
  }

  private void record(int times, long ns) {
    for (int each = 0; each < times; each++) {
      recorder.record(ns);
    }
  }

  /** Each begins at a hundred times its length, after every look. */
  private static void offer(Outliers outliers, long... durations) {
    for (long ns : durations) {
      outliers.offer(LATER + 100 * ns, ns);
    }
  }

  private static List<Outlier> kept(Outliers outliers) {
    Evidence evidence = new Evidence();
    outliers.tell(evidence, "call", 7);
    evidence.fields(); // sorts them by time
    return evidence.outliers;
  }

  private static void assertKept(Outliers outliers, Long... durations) {
    assertEquals(
        List.of(durations),
        kept(outliers).stream().map(outlier -> outlier.ns).collect(Collectors.toList()));
  }

  @Test
  void whatIsLongIsToldByTheLeastAloneWhileThereAreFewSamples() {
    record(99, 1000);
    begin(blind);
    offer(blind, 199, 200);
    assertKept(blind, 200L);
  }

  @Test
  void whatIsLongIsAMultipleOfTheMedian() {
    record(100, 1001);
    begin(blind);
    offer(blind, 2502, 2503, 2504); // 2502.5
    assertKept(blind, 2503L, 2504L);
  }

  @Test
  void theLeastHoldsBesidesAMultiple() {
    record(100, 10);
    begin(blind);
    offer(blind, 25, 199, 200);
    assertKept(blind, 200L);
  }

  @Test
  void whatIsLongIsToldAnewWhenAWindowBegins() {
    begin(blind);
    record(100, 1000);
    offer(blind, 300);
    begin(blind);
    offer(blind, 2499);
    assertKept(blind, 300L);
  }

  @Test
  void theLongestAreKept() {
    begin(blind);
    offer(blind, 500, 300, 400);
    assertKept(blind, 300L, 400L, 500L);
    offer(blind, 250, 300);
    assertKept(blind, 300L, 400L, 500L);
    offer(blind, 450, 600);
    assertKept(blind, 450L, 500L, 600L);
    blind.clear();
    assertKept(blind);
  }

  @Test
  void eachSaysOfWhatAndWhenAndByWhom() {
    begin(blind);
    offer(blind, 500);
    blind.after();
    Outlier only = kept(blind).get(0);
    assertEquals("call", only.of);
    assertEquals(7, only.thread);
    assertEquals(LATER + 50_000, only.atNs);
    assertFalse(only.wasSeen); // nobody was there to look
    Evidence evidence = new Evidence();
    blind.tell(evidence, "call", 7);
    assertEquals(
        "[Nothing is told of what happened to virtual threads: the kernel does not know them.]",
        evidence.lacking.toString());
    assertEquals(0, blind.lookNs());
  }

  private static List<Long> seen(Outliers outliers) {
    return kept(outliers).stream()
        .filter(outlier -> outlier.wasSeen)
        .map(outlier -> outlier.ns)
        .collect(Collectors.toList());
  }

  @Test
  void theLongestBetweenTwoLooksGetsWhatWasSeen() {
    Outliers outliers = new Outliers(3, new Onlooker(new int[0], false));
    begin(outliers);
    outliers.after();
    offer(outliers, 400, 600, 500);
    assertEquals(List.of(), seen(outliers));
    outliers.after();
    assertEquals(List.of(600L), seen(outliers));
    offer(outliers, 450, 300);
    outliers.after();
    assertEquals(List.of(450L, 600L), seen(outliers));
    outliers.after();
    assertKept(outliers, 450L, 500L, 600L);
    offer(outliers, 700);
    assertEquals(List.of(600L), seen(outliers)); // it took the place of one that was seen
  }

  @Test
  void theLookAfterOneIsTheOneBeforeTheNext() {
    Outliers outliers = new Outliers(2, new Onlooker(new int[0], false));
    begin(outliers);
    long start = System.nanoTime();
    offer(outliers, 1000);
    outliers.after();
    offer(outliers, 2000);
    outliers.after();
    List<Outlier> kept = kept(outliers);
    long first = kept.get(0).seen.ns;
    long second = kept.get(1).seen.ns;
    assertTrue(second > 0 && second <= System.nanoTime() - start, first + " and " + second);
  }

  private static void sleep() {
    LockSupport.parkNanos(5_000_000);
  }

  /** From look to look, of an outlier ahead of which it was this late; and from then on. */
  private static long[] seenNs(Outliers outliers, long nowNs) {
    sleep();
    long ahead = System.nanoTime();
    outliers.before(nowNs);
    offer(outliers, 1000);
    outliers.after();
    return new long[] {kept(outliers).get(0).seen.ns, System.nanoTime() - ahead};
  }

  @Test
  void aLookIsRenewedWhenItIsMoreThanAHundredTimesAsOldAsItTook() {
    Outliers outliers = new Outliers(1, new Onlooker(new int[0], false));
    begin(outliers);
    long[] young = seenNs(outliers, System.nanoTime() - 5_000_000);
    assertTrue(young[0] >= 5_000_000, "the look is older than the sleep");
    outliers.clear();
    long[] old = seenNs(outliers, System.nanoTime() + (long) (101 * outliers.lookNs()));
    assertTrue(old[0] <= old[1], "the look is younger than the sleep");
  }

  /** As a message may be that was sent while its consumer looked. */
  @Test
  void whatBeganBeforeTheLookIsKeptAndNotSeen() {
    Outliers outliers = new Outliers(2, new Onlooker(new int[0], false));
    begin(outliers);
    outliers.offer(System.nanoTime() - Requests.HOUR, 1000);
    outliers.after();
    assertKept(outliers, 1000L);
    assertEquals(List.of(), seen(outliers));
    offer(outliers, 2000);
    outliers.after();
    assertEquals(List.of(2000L), seen(outliers));
  }

  @Test
  void itLacksTracePoints() {
    Evidence evidence = new Evidence();
    Outliers outliers = new Outliers(1, new Onlooker(new int[0], false));
    outliers.tell(evidence, "call", 0);
    outliers.tell(evidence, "wake", 1);
    assertEquals("soft-interrupts", evidence.interrupts);
    assertEquals(1, evidence.lacking.size());
    assertTrue(evidence.lacking.first().startsWith("Interrupts are told by soft interrupts only"));
    assertTrue(outliers.lookNs() > 0);
  }
}
