package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import threadping.probe.contract.Result;

class HistogramTest {
  private final Histogram histogram = new Histogram();

  private static long[] longs(long... values) {
    return values;
  }

  private void record(long... durations) {
    for (long duration : durations) {
      histogram.record(duration);
    }
  }

  private void assertRecorded(long censored, long[] values, long[] counts) {
    Result.Distribution all = histogram.distribution("ns");
    assertArrayEquals(values, all.values());
    assertArrayEquals(counts, all.counts());
    assertEquals(censored, all.censored());
  }

  @Test
  void everyValueBelow4096HasACounterOfItsOwn() {
    long[] ones = new long[4096];
    for (int value = 0; value < ones.length; value++) {
      histogram.record(value);
      ones[value] = 1;
    }
    Result.Distribution all = histogram.distribution("ns");
    assertArrayEquals(ones, all.counts());
    assertEquals(4095, all.values()[4095]);
  }

  @Test
  void anOctaveHas2048Counters() {
    record(4095, 4096, 4097, 4098, 8191, 8192, 8195, 8196);
    assertRecorded(0, longs(4095, 4096, 4098, 8190, 8192, 8196), longs(1, 2, 1, 1, 2, 1));
  }

  /** Of numbers of every length up to an hour. */
  @Test
  void aValueIsLessThanAThousandthTooSmall() {
    Random random = new Random(7);
    for (int each = 0; each < 200; each++) {
      long value = (random.nextLong() >>> 1 + random.nextInt(63)) % (Histogram.LONGEST_NS + 1);
      Histogram one = new Histogram();
      one.record(value);
      long told = one.distribution("ns").values()[0];
      assertTrue(told <= value && (value - told) * 1000 <= value, told + " for " + value);
    }
  }

  @Test
  void whatLastedLongerThanAnHourIsCensored() {
    record(Histogram.LONGEST_NS, Histogram.LONGEST_NS + 1, Long.MAX_VALUE);
    Result.Distribution all = histogram.distribution("ns");
    assertArrayEquals(longs(1), all.counts());
    assertTrue(all.values()[0] > Histogram.LONGEST_NS / 1000 * 999);
    assertEquals(2, all.censored());
  }

  /** Between two CPUs whose clocks differ. */
  @Test
  void whatCameOutBelowNothingIsCountedAndInNoValue() {
    record(-1, -1_000_000, 0);
    assertRecorded(0, longs(0), longs(1));
    assertEquals(2, histogram.distribution("ns").negative());
    Histogram all = new Histogram();
    all.add(histogram);
    assertEquals(2, all.distribution("ns").negative());
    histogram.clear();
    assertEquals(0, histogram.distribution("ns").negative());
  }

  @Test
  void theMedianIsTheLargestOfTheSmallerHalf() {
    assertEquals(0, histogram.median());
    record(30, 10, 20);
    assertEquals(20, histogram.median());
    record(40);
    assertEquals(20, histogram.median());
    record(6001, 6001, 6001, 6001, Long.MAX_VALUE);
    assertEquals(40, histogram.median());
    record(6001);
    assertEquals(6000, histogram.median());
    assertEquals(9, histogram.samples());
    histogram.clear();
    assertEquals(0, histogram.samples());
  }

  @Test
  void addsWhatOthersRecorded() {
    record(20, 6000);
    histogram.censor();
    Histogram other = new Histogram();
    for (long each : longs(20, 6000, 9000)) {
      other.record(each);
    }
    other.censor();
    histogram.add(other);
    assertRecorded(2, longs(20, 6000, 9000), longs(2, 2, 1));
  }
}
