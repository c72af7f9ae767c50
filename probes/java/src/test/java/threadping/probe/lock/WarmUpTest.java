package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import threadping.probe.Requests;
import threadping.probe.message.Request;

/** The warm-up as arithmetic: threads whose operations take so long, exactly. */
class WarmUpTest {
  private static final long SECOND = 1_000_000_000;
  private static final double CLOCK_NS = 20;

  /** Warms up to the end, and remembers how. */
  private static final class Course {
    final WarmUp warmUp;
    final List<Stint> stints = new ArrayList<>();
    final int threads;
    long ops;
    long ns;
    int dueTimes;

    /** Each thread has a CPU. */
    Course(Request request, long operationNs) {
      threads = request.cpus.size();
      warmUp = WarmUp.of(request, threads, CLOCK_NS);
      while (warmUp.goesOn(ops, ns)) {
        Stint stint = warmUp.stint();
        stints.add(stint);
        long each = stint.isLook() ? warmUp.lookNs() / operationNs : stint.ops();
        long took = each * operationNs;
        ops += threads * each;
        ns += took;
        warmUp.took(threads * each, took, ops, ns);
        dueTimes += warmUp.isCompilerDue() ? 1 : 0;
      }
    }

    /** What is no look and no rehearsal. */
    List<Stint> calls(Order.Kind kind) {
      return stints.stream()
          .filter(stint -> stint.kind == kind && !stint.isLook())
          .collect(Collectors.toList());
    }

    List<Integer> chunks(Order.Kind kind) {
      return calls(kind).stream().map(stint -> stint.chunk).collect(Collectors.toList());
    }

    List<Integer> looks() {
      return stints.stream()
          .filter(stint -> stint.isLook() && !stint.isSampled())
          .map(stint -> stint.chunk)
          .collect(Collectors.toList());
    }

    boolean isComplete() {
      return warmUp.isComplete(ops);
    }
  }

  private static Request request(int threads, long rounds, long ops, long limitNs) {
    Request request = Requests.lock("monitor", new Integer[threads]);
    request.warmupRounds = rounds;
    request.warmupOps = ops;
    request.warmupLimitNs = limitNs;
    return request;
  }

  @Test
  void shortRoundsAreShortCallsUntilBothLoopsAreCompiled() {
    Course course = new Course(request(1, 10, 100_000, SECOND), 20);
    assertEquals(List.of(1, 1, 20, 20), course.chunks(Order.Kind.PLAIN));
    assertEquals(List.of(1, 1, 1, 1, 20, 20, 20, 20), course.chunks(Order.Kind.SAMPLED));
    assertEquals(300, course.calls(Order.Kind.PLAIN).get(0).calls);
    assertEquals(1100, course.calls(Order.Kind.PLAIN).get(2).calls);
    assertTrue(course.calls(Order.Kind.SAMPLED).get(1).isWithoutRoom);
    assertEquals(8, course.calls(Order.Kind.REHEARSE).size());
    assertEquals(5, course.dueTimes);
    assertEquals(20, course.looks().get(0));
    assertTrue(course.isComplete());
    assertTrue(course.ops < 1_200_000, course.ops + " operations");
  }

  @Test
  void theCompilerSeesBothLoopsBeforeItIsWaitedFor() {
    Course course = new Course(request(1, 10, 100_000, SECOND), 20);
    assertEquals(
        List.of(Order.Kind.PLAIN, Order.Kind.SAMPLED, Order.Kind.SAMPLED, Order.Kind.PLAIN),
        course.stints.subList(0, 4).stream().map(stint -> stint.kind).collect(Collectors.toList()));
  }

  @Test
  void allThreadsShareTheCalls() {
    Course course = new Course(request(8, 10, 100_000, SECOND), 20);
    List<Stint> lessons = course.calls(Order.Kind.PLAIN);
    assertEquals(8, lessons.size()); // counts that threads lose are made up for
    assertEquals(38, lessons.get(0).calls);
    assertEquals(138, lessons.get(4).calls);
  }

  @Test
  void theChunkGrowsEightfoldFromOne() {
    Course course = new Course(request(1, 0, 1000, SECOND), 20);
    assertEquals(List.of(1, 8, 64, 512, 1000), course.looks());
    assertEquals(1000, course.warmUp.chunk());
    assertEquals(128, course.warmUp.every());
    assertTrue(course.stints.get(course.stints.size() - 1).isSampled());
    assertTrue(course.isComplete());
  }

  @Test
  void slowOperationsAreAllTimed() {
    Course course = new Course(request(2, 0, 1000, SECOND), 5000);
    assertEquals(4, course.warmUp.chunk());
    assertEquals(1, course.warmUp.every());
  }

  @Test
  void aFewOperationsAreNotDrownedInLessons() {
    Course course = new Course(request(1, 2, 1000, SECOND), 20);
    assertEquals(List.of(1, 1), course.chunks(Order.Kind.PLAIN));
    assertEquals(List.of(1, 1, 1, 1), course.chunks(Order.Kind.SAMPLED));
    assertEquals(List.of(), course.calls(Order.Kind.REHEARSE));
  }

  @Test
  void shortRoundsEndAtTheLimit() {
    Course course = new Course(request(1, 1000, 100_000, SECOND / 100), 1000);
    assertFalse(course.isComplete());
    assertTrue(course.ns < SECOND / 20, course.ns + " ns");
  }

  @Test
  void crowdedThreadsAreLookedAtForSeveralTimeSlices() {
    assertEquals(1_000_000, WarmUp.of(request(2, 0, 1, SECOND), 2, CLOCK_NS).lookNs());
    assertEquals(12_000_000, WarmUp.of(request(5, 0, 1, SECOND), 2, CLOCK_NS).lookNs());
    assertEquals(SECOND / 16, WarmUp.of(request(99, 0, 1, SECOND), 2, CLOCK_NS).lookNs());
  }

  @Test
  void aLongRoundIsOneCallOfEachThread() {
    Course course = new Course(request(2, 1, 500_000_000, 60 * SECOND), 20);
    List<Integer> chunks = course.chunks(Order.Kind.PLAIN);
    assertEquals(250_000_000, chunks.get(chunks.size() - 1));
    assertTrue(course.calls(Order.Kind.PLAIN).stream().allMatch(stint -> stint.calls == 1));
    assertTrue(chunks.size() < 30, chunks + "");
    assertTrue(course.isComplete());
    assertEquals(1000, course.warmUp.chunk());
  }

  @Test
  void theSampledLoopHasItsLessonsAfterTheLongRound() {
    Course course = new Course(request(1, 1, 1_000_000, 60 * SECOND), 20);
    assertEquals(8, course.calls(Order.Kind.SAMPLED).size());
    assertEquals(8, course.calls(Order.Kind.REHEARSE).size());
    assertEquals(Order.Kind.PLAIN, course.stints.get(10).kind);
  }

  @Test
  void everyLongRoundIsACall() {
    Course course = new Course(request(1, 3, 100_001, 60 * SECOND), 20);
    List<Integer> chunks = course.chunks(Order.Kind.PLAIN);
    int calls = chunks.size();
    assertEquals(List.of(100_001, 100_001, 100_001), chunks.subList(calls - 3, calls));
    assertTrue(chunks.get(calls - 4) < 100_001);
    assertTrue(course.isComplete());
  }

  @Test
  void aLongRoundGoesAsFarAsTheLimitAllows() {
    Course course = new Course(request(1, 1, 500_000_000, SECOND), 20);
    assertFalse(course.isComplete());
    assertTrue(course.ns <= SECOND + SECOND / 50, course.ns + " ns");
    assertTrue(course.ops > 40_000_000, course.ops + " operations");
  }

  @Test
  void aLongRoundOfSlowOperationsEnds() {
    Course course = new Course(request(2, 1, 500_000_000, SECOND), 8_000_000);
    assertFalse(course.isComplete());
    assertTrue(course.ns <= SECOND + SECOND / 10, course.ns + " ns");
  }

  @Test
  void aRoundThatNoCallCanHoldIsSeveral() {
    Course course = new Course(request(1, 1, 1_000_000_000_000L, 3600 * SECOND), 1);
    assertTrue(course.isComplete());
    assertTrue(course.ops >= 1_000_000_000_000L);
  }

  @Test
  void longRoundsWithoutNumberEndOnceCalibrated() {
    Course course = new Course(request(1, 0, 1_000_000, SECOND), 20);
    assertTrue(course.isComplete());
    assertTrue(course.ns <= SECOND / 20, course.ns + " ns");
  }
}
