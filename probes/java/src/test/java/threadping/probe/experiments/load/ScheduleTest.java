package threadping.probe.experiments.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Params;

/** To the nanosecond; and what is drawn is the same as in C++. */
class ScheduleTest {
  private static Params params(Map<String, Object> given) {
    Mechanism mechanism =
        new Mechanism(
            "load",
            false,
            List.of(),
            1,
            List.of(Schedule.ARRIVALS, Schedule.RATE, Schedule.BURST, Schedule.LENGTH),
            null);
    return Params.of(mechanism, given);
  }

  private static Schedule schedule(Map<String, Object> given) {
    return new Schedule(params(given), 7);
  }

  private static void assertDue(Map<String, Object> given, long... ns) {
    Schedule schedule = schedule(given);
    long[] due = new long[ns.length];
    for (int each = 0; each < ns.length; each++) {
      due[each] = schedule.next();
    }
    assertArrayEquals(ns, due);
  }

  @Test
  void aConstantRate() {
    assertDue(Map.of("rate", 3_000L), 333_333, 666_666, 1_000_000, 1_333_333);
    assertDue(Map.of(), 100_000, 200_000);
  }

  @Test
  void aRateIsKeptThoughItsGapIsNoWholeNumber() {
    Schedule schedule = schedule(Map.of("rate", 3_000_000L));
    long last = 0;
    for (int each = 0; each < 3_000_000; each++) {
      last = schedule.next();
    }
    assertEquals(1_000_000_000, last, 1);
  }

  @Test
  void saysHowManyAreDueOnAverageAndAtLeastOne() {
    for (int[] rateAndDue : new int[][] {{10, 1}, {10_000, 1}, {1_000_000, 100}}) {
      assertEquals(rateAndDue[1], schedule(Map.of("rate", (long) rateAndDue[0])).dueIn(100e3));
    }
    assertEquals(1, schedule(Map.of("arrivals", Schedule.GAPS)).dueIn(100e3));
  }

  @Test
  void burstsOfTheSameMeanRate() {
    assertDue(
        Map.of("arrivals", "bursts", "burst", 3L, "rate", 1_000L),
        3_000_000,
        3_000_000,
        3_000_000,
        6_000_000,
        6_000_000,
        6_000_000,
        9_000_000);
    assertDue(Map.of("arrivals", "bursts", "burst", 1L, "rate", 1_000L), 1_000_000, 2_000_000);
  }

  @Test
  void arrivalsThatKnowNothingOfEachOther() {
    assertDue(
        Map.of("arrivals", "poisson", "rate", 1_000L),
        494_017,
        510_948,
        2_821_169,
        3_695_670,
        4_297_957);
  }

  @Test
  void gapsOfEveryLength() {
    assertDue(
        Map.of("arrivals", "idle", "rate", 10L),
        362_509,
        374_181,
        40_464_796,
        42_611_248,
        43_256_557);
  }

  @Test
  void gapsOfOneLengthWhereOneIsNamed() {
    assertDue(Map.of("arrivals", "idle", "idle", "3ms"), 3_000_000, 6_000_000, 9_000_000);
    assertDue(Map.of("arrivals", "idle", "idle", "1s"), 1_000_000_000, 2_000_000_000);
    assertEquals(
        List.of(
            10_000L,
            30_000L,
            100_000L,
            300_000L,
            1_000_000L,
            3_000_000L,
            10_000_000L,
            30_000_000L,
            100_000_000L,
            300_000_000L,
            1_000_000_000L),
        List.copyOf(Schedule.LENGTHS.values()));
  }
}
