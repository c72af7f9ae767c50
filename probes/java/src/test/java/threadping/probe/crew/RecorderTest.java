package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import threadping.probe.message.Result;

class RecorderTest {
  private final Recorder recorder = new Recorder();

  private static long[] longs(long... values) {
    return values;
  }

  private void record(long... durations) {
    for (long duration : durations) {
      recorder.record(duration);
    }
  }

  private void assertRecorded(long censored, long[] values, long[] counts) {
    Result.Distribution all = recorder.distribution();
    assertArrayEquals(values, all.values);
    assertArrayEquals(counts, all.counts);
    assertEquals(censored, all.censored);
  }

  @Test
  void everyValueBelow4096HasACounterOfItsOwn() {
    long[] ones = new long[4096];
    for (int value = 0; value < ones.length; value++) {
      recorder.record(value);
      ones[value] = 1;
    }
    Result.Distribution all = recorder.distribution();
    assertArrayEquals(ones, all.counts);
    assertEquals(4095, all.values[4095]);
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
    for (int each = 0; each < 2_000; each++) {
      long value = (random.nextLong() >>> 1 + random.nextInt(63)) % (Recorder.LONGEST_NS + 1);
      Recorder one = new Recorder();
      one.record(value);
      long told = one.distribution().values[0];
      assertTrue(told <= value && (value - told) * 1000 <= value, told + " for " + value);
    }
  }

  @Test
  void whatLastedLongerThanAnHourIsCensored() {
    record(Recorder.LONGEST_NS, Recorder.LONGEST_NS + 1, Long.MAX_VALUE);
    Result.Distribution all = recorder.distribution();
    assertArrayEquals(longs(1), all.counts);
    assertTrue(all.values[0] > Recorder.LONGEST_NS / 1000 * 999);
    assertEquals(2, all.censored);
  }

  @Test
  void everySampleIsKept() {
    for (int each = 0; each < 3_000_000; each++) {
      recorder.record(each % 3 == 0 ? 5_000_000 : 100);
    }
    assertRecorded(0, longs(100, 4_999_168), longs(2_000_000, 1_000_000));
  }

  @Test
  void aChainIsAsLongAsItsDurations() {
    Timings timings = new Timings(3);
    timings.set(0, 100, 107);
    timings.set(1, 107, 6107);
    timings.set(2, 6107, 6116);
    assertEquals(6007, recorder.record(timings, 2));
    assertRecorded(0, longs(7, 6000), longs(1, 1));
  }

  @Test
  void theMedianIsTheLargestOfTheSmallerHalf() {
    assertEquals(0, recorder.median());
    record(30, 10, 20);
    assertEquals(20, recorder.median());
    record(40);
    assertEquals(20, recorder.median());
    record(6001, 6001, 6001, 6001, Long.MAX_VALUE);
    assertEquals(40, recorder.median());
    record(6001);
    assertEquals(6000, recorder.median());
    assertEquals(9, recorder.samples());
    recorder.clear();
    assertEquals(0, recorder.samples());
  }

  @Test
  void addsWhatOthersRecorded() {
    record(20, 6000);
    recorder.censor();
    Recorder other = new Recorder();
    for (long each : longs(20, 6000, 9000)) {
      other.record(each);
    }
    other.censor();
    recorder.add(other);
    assertRecorded(2, longs(20, 6000, 9000), longs(2, 2, 1));
  }

  @Test
  void clearForgetsAll() {
    record(20, 6000, Long.MAX_VALUE);
    recorder.clear();
    assertRecorded(0, longs(), longs());
  }
}
