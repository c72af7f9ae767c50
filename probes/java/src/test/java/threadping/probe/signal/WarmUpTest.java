package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import threadping.probe.Requests;
import threadping.probe.message.Request;

/** The warm-up as arithmetic: a pair whose round trips take so long, exactly. */
class WarmUpTest {
  private static final int MANY = 1 << 20;
  private static final long SECOND = 1_000_000_000;

  /** Warms up to the end, and remembers how. */
  private static final class Course {
    final WarmUp warmUp;
    final List<Integer> blocks = new ArrayList<>();
    long ops;
    long ns;
    int dueTimes;

    Course(Request request, long roundTripNs) {
      warmUp = WarmUp.of(request);
      while (warmUp.goesOn(ops, ns)) {
        Visit visit = warmUp.visit();
        blocks.add(visit.block);
        ops += 2L * visit.turns();
        ns += roundTripNs * visit.turns();
        warmUp.took(roundTripNs * visit.turns(), ops, ns);
        dueTimes += warmUp.isCompilerDue() ? 1 : 0;
      }
    }

    int last() {
      return blocks.get(blocks.size() - 1);
    }

    boolean isComplete() {
      return warmUp.isComplete(ops);
    }
  }

  private static Request request(long rounds, long ops, long limitNs) {
    Request request = Requests.brief("cas-one-line");
    request.warmupRounds = rounds;
    request.warmupOps = ops;
    request.warmupLimitNs = limitNs;
    return request;
  }

  @Test
  void shortRoundsStayShortUntilTheCompilerHasSeenEnoughCalls() {
    Course course = new Course(request(10, 100_000, SECOND), 100);
    long calls = course.blocks.stream().filter(block -> block < Visit.MOST_ROUND_TRIPS).count();
    assertEquals(2, course.dueTimes);
    assertTrue(calls > 1150 && calls < 1170, calls + " short visits");
    assertEquals(1000, course.last());
    assertEquals(1000, course.warmUp.calibrated(MANY).block);
    assertTrue(course.isComplete());
  }

  @Test
  void shortRoundsNeverGrowForAPairThatNeedsATimeSlice() {
    Course course = new Course(request(10, 1000, SECOND), 8_000_000);
    assertEquals(1, course.last());
    assertEquals(1, course.warmUp.calibrated(MANY).block);
    assertFalse(course.isComplete());
  }

  @Test
  void oneVisitThatWaitedForPongDoesNotKeepTheOthersShort() {
    WarmUp warmUp = WarmUp.of(request(0, 1000, SECOND));
    warmUp.took(20_000_000, 6, 20_000_000);
    assertTrue(warmUp.goesOn(6, 20_000_000));
    long ns = 20_000_000;
    for (long ops = 6; warmUp.goesOn(ops, ns); ) {
      int turns = warmUp.visit().turns();
      ops += 2L * turns;
      ns += 100L * turns;
      warmUp.took(100L * turns, ops, ns);
    }
    assertEquals(1000, warmUp.calibrated(MANY).block);
  }

  @Test
  void shortRoundsWithoutNumberEndOnceCalibrated() {
    Course course = new Course(request(0, 1000, SECOND), 100);
    assertEquals(11, course.blocks.size()); // 1, 2, 4, ... 512, 1000
    assertTrue(course.isComplete());
  }

  @Test
  void aLongRoundIsOneLoopAfterFewCalls() {
    Course course = new Course(request(1, 500_000_000, 60 * SECOND), 100);
    assertEquals(250_000_000, course.last());
    assertTrue(course.blocks.size() < 30, course.blocks + "");
    assertTrue(course.isComplete());
    assertEquals(0, course.dueTimes);
    assertEquals(1000, course.warmUp.calibrated(MANY).block);
  }

  @Test
  void everyLongRoundIsALoop() {
    Course course = new Course(request(3, 100_001, 60 * SECOND), 100);
    int calls = course.blocks.size();
    assertEquals(List.of(50_001, 50_001, 50_001), course.blocks.subList(calls - 3, calls));
    assertTrue(course.blocks.get(calls - 4) < 50_001);
    assertTrue(course.isComplete());
  }

  @Test
  void aLongRoundGoesAsFarAsTheLimitAllows() {
    Course course = new Course(request(1, 500_000_000, SECOND), 100);
    assertFalse(course.isComplete());
    assertTrue(course.ns <= SECOND + SECOND / 100, course.ns + " ns");
    assertTrue(course.blocks.stream().anyMatch(block -> block > 9_000_000), course.blocks + "");
    assertTrue(course.blocks.size() < 30, course.blocks + "");
  }

  @Test
  void aLongRoundEndsForAPairThatNeedsATimeSlice() {
    Course course = new Course(request(1, 500_000_000, SECOND), 8_000_000);
    assertFalse(course.isComplete());
    assertTrue(course.ns <= SECOND + 3 * 8_000_000, course.ns + " ns");
    assertEquals(1, course.warmUp.calibrated(MANY).block);
  }

  @Test
  void aRoundThatNoVisitCanHoldIsSeveralLoops() {
    Course course = new Course(request(1, 1_000_000_000_000L, 3600 * SECOND), 1);
    assertTrue(course.isComplete());
    assertTrue(course.ops >= 1_000_000_000_000L);
    assertTrue(course.last() > 0);
  }

  @Test
  void longRoundsWithoutNumberEndOnceCalibrated() {
    Course course = new Course(request(0, 1_000_000, SECOND), 100);
    assertTrue(course.isComplete());
    assertTrue(course.ns <= SECOND / 25, course.ns + " ns");
  }
}
