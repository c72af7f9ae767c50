package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;
import threadping.probe.toy.Toy;

/**
 * One member, obeying in the test's own thread orders that its own operations give: nothing here
 * hangs on time.
 */
class MemberTest {
  private static final long MANY = Order.UNTIL_TOLD;
  private static final Runnable NOTHING = () -> {};

  private final Scripted loops = new Scripted();
  private final Result result = new Result(List.of("alone"));
  private final Scene scene =
      new Scene(Requests.brief(Toy.experiment(Request.Unit.NS), (Integer) null), loops, result);
  private final Member member = new Member(0, scene, new Meter(false, 0));
  private final Recorder recorder = member.recorder();
  private boolean isOpen;

  /** Notes each loop, and does in the course of each what its script says. */
  private static final class Scripted extends NoWork {
    final List<Runnable> script = new ArrayList<>();
    final List<String> seen = new ArrayList<>();

    /** What the member did besides. */
    final List<String> besides = new ArrayList<>();

    /** The time, in which an operation takes a while, and a while passes between two. */
    long now = 1000;

    boolean isStopped;
    boolean isFollower;
    boolean timesAll;

    /** So many operations a timed one is, of which none is timed; 0: one that is. */
    int batch;

    boolean leavesOut;

    @Override
    public int plain(int thread, int line, int count) {
      return note("plain", line, count);
    }

    /** Takes 100 ns, 101 ns, ...; the script comes in the middle. */
    @Override
    public int timed(int thread, int line, long openedNs, Timings timings, int count) {
      long from = now;
      now += 50;
      int done = note("timed", line, count);
      if (batch > 0) {
        return batch;
      }
      now += 49 + seen.size();
      timings.set(0, from, now);
      if (leavesOut) {
        timings.leaveOut(0);
      }
      now += 10;
      return done;
    }

    @Override
    public void between(int thread, int line) {
      besides.add("between on " + line);
    }

    @Override
    public void leave(int thread, int line) {
      besides.add("leave " + line);
    }

    @Override
    public boolean timesAll(int thread) {
      return timesAll;
    }

    @Override
    public boolean counted(int thread) {
      return !isFollower;
    }

    private int note(String kind, int line, int count) {
      seen.add(kind + " " + count + " on " + line);
      if (seen.size() <= script.size()) {
        script.get(seen.size() - 1).run();
      }
      return isStopped ? 0 : count;
    }
  }

  /** Obeys this order until the script has been played, which then lets it leave. */
  private void obey(int timed, int line, long count, int chunk, Runnable... script)
      throws InterruptedException {
    loops.script.addAll(Arrays.asList(script));
    loops.script.add(scene.orders::leave);
    scene.orders.give(new Order(1, Order.Kind.WORK, line, count, chunk, timed));
    member.obey();
  }

  private void carryOut(Member obedient, Order order) {
    scene.orders.give(order);
    obedient.carryOut(order);
  }

  private void assertRecorded(long censored, long... values) {
    assertArrayEquals(values, recorder.distribution().values);
    assertEquals(censored, recorder.distribution().censored);
  }

  /** Opens the gate, or closes it. */
  private final Runnable turn =
      () -> {
        isOpen = !isOpen;
        if (isOpen) {
          scene.gate.open(loops.now);
        } else {
          scene.gate.close(loops.now);
        }
      };

  private void read(Order.Kind kind) {
    member.carryOut(new Order(1, kind));
  }

  @Test
  void worksAsMuchAsItIsToldTo() throws Exception {
    obey(0, 2, 1000, 300, NOTHING, NOTHING, NOTHING);
    assertEquals(
        List.of("plain 300 on 2", "plain 300 on 2", "plain 300 on 2", "plain 100 on 2"),
        loops.seen);
    assertEquals(1000, scene.boards[0].ops);
  }

  @Test
  void worksInChunksUntilTheNextOrder() throws Exception {
    obey(0, 1, MANY, 7, NOTHING, NOTHING);
    assertEquals(Collections.nCopies(3, "plain 7 on 1"), loops.seen);
    assertEquals(21, scene.ops());
  }

  @Test
  void timesTheFirstOfEveryGroup() throws Exception {
    obey(1, 3, MANY, 4, NOTHING, NOTHING, NOTHING);
    assertEquals(
        List.of("timed 1 on 3", "plain 3 on 3", "timed 1 on 3", "plain 3 on 3"), loops.seen);
    assertEquals(8, scene.ops());
  }

  @Test
  void operationsOfARehearsalCountNothing() throws Exception {
    scene.perform(loops, 0);
    obey(0, 1, MANY, 7, NOTHING);
    assertEquals(0, scene.ops());
  }

  @Test
  void keepsWhatItTimedInsideOneWindow() throws Exception {
    // before the window; over its start; twice inside; over its end; after it
    obey(1, 0, MANY, 1, NOTHING, turn, NOTHING, NOTHING, turn, NOTHING);
    assertRecorded(2, 102, 103);
    assertEquals(Collections.nCopies(7, "timed 1 on 0"), loops.seen);
  }

  @Test
  void censorsWhatLastedLongerThanAWindowEachTime() throws Exception {
    Runnable pass =
        () -> {
          turn.run();
          turn.run();
        };
    obey(1, 0, MANY, 1, pass, pass, NOTHING, pass);
    assertRecorded(3);
  }

  @Test
  void censorsWhatLastedFromOneWindowIntoTheNext() throws Exception {
    Runnable closeAndOpen =
        () -> {
          turn.run();
          turn.run();
        };
    obey(1, 0, MANY, 1, turn, closeAndOpen);
    assertRecorded(2, 102);
  }

  @Test
  void recordsNoOperationThatWasStopped() throws Exception {
    loops.isStopped = true;
    Runnable last =
        () -> {
          turn.run();
          scene.orders.leave();
        };
    obey(1, 0, MANY, 1, last);
    assertEquals(List.of("timed 1 on 0"), loops.seen);
    assertRecorded(0);
    assertEquals(0, scene.ops());
    assertEquals(List.of("leave 0"), loops.besides);
  }

  @Test
  void doesNotGoOnWithACountThatWasEndedFromOutside() throws Exception {
    loops.isStopped = true;
    carryOut(member, new Order(1, Order.Kind.WORK, 2, 1000, 300, 0));
    assertEquals(List.of("plain 300 on 2"), loops.seen);
    assertEquals(List.of("leave 2"), loops.besides);
    assertEquals(1, scene.boards[0].finished);
  }

  /** A follower whose partner has left waits again, unless it was told otherwise. */
  @Test
  void looksAtItsOrdersAndGoesOnWhereThereIsTimeUntilTheNextOne() throws Exception {
    loops.isStopped = true;
    obey(0, 1, MANY, 7, NOTHING, NOTHING);
    assertEquals(Collections.nCopies(3, "plain 7 on 1"), loops.seen);
    assertEquals(List.of("leave 1"), loops.besides);
  }

  @Test
  void leavesALineOnceForEachOrderOfWork() {
    for (int order = 1; order <= 2; order++) {
      carryOut(member, new Order(order, Order.Kind.WORK, order, 10, 5, 0));
    }
    read(Order.Kind.REST);
    assertEquals(List.of("leave 1", "leave 2"), loops.besides);
  }

  @Test
  void doesWhatBelongsBetweenTwoOperationsAfterATimedOne() throws Exception {
    obey(1, 3, MANY, 4, NOTHING, NOTHING, NOTHING);
    assertEquals(List.of("between on 3", "between on 3", "leave 3"), loops.besides);
  }

  @Test
  void recordsNothingOfWhatWasLeftOut() throws Exception {
    loops.leavesOut = true;
    obey(1, 0, MANY, 1, turn, NOTHING, turn);
    assertRecorded(0);
    assertEquals(4, scene.ops());
  }

  @Test
  void whatAFollowerDoesCountsNothing() throws Exception {
    loops.isFollower = true;
    Member follower = new Member(0, scene, new Meter(false, 0));
    carryOut(follower, new Order(1, Order.Kind.WORK, 1, 1000, 300, 0));
    assertEquals(4, loops.seen.size());
    assertEquals(0, scene.ops());
  }

  /** As a producer of batches, which its consumer times. */
  @Test
  void completesMoreThanItTimes() throws Exception {
    loops.batch = 10;
    scene.gate.open(0);
    obey(1, 3, MANY, 14, NOTHING, NOTHING, NOTHING);
    assertEquals(
        List.of("timed 1 on 3", "plain 4 on 3", "timed 1 on 3", "plain 4 on 3"), loops.seen);
    assertEquals(28, scene.ops());
    assertRecorded(0);
  }

  @Test
  void goesOnWithNoMoreThanItIsToldToAfterABatch() throws Exception {
    loops.batch = 10;
    carryOut(member, new Order(1, Order.Kind.WORK, 2, 14, 2, 1));
    assertEquals(List.of("timed 1 on 2", "timed 1 on 2"), loops.seen);
    assertEquals(20, scene.ops());
  }

  @Test
  void whoTimesAllOnlyTimesWhereOperationsAreTimed() {
    loops.timesAll = true;
    Member consumer = new Member(0, scene, new Meter(false, 0));
    loops.script.addAll(List.of(NOTHING, NOTHING));
    loops.script.add(
        () -> {
          scene.orders.leave();
          loops.isStopped = true;
        });
    carryOut(consumer, new Order(1, Order.Kind.WORK, 3, MANY, 4, 1));
    assertEquals(4, loops.seen.size(), "and once more, whether anything comes");
    for (String seen : loops.seen) {
      assertTrue(seen.matches("timed \\d{3,} on 3"), seen);
    }
  }

  @Test
  void whoTimesAllGoesOnAfterTheOrderUntilNothingComes() {
    loops.timesAll = true;
    Member consumer = new Member(0, scene, new Meter(false, 0));
    loops.script.addAll(List.of(turn, scene.orders::leave, turn, () -> loops.isStopped = true));
    carryOut(consumer, new Order(1, Order.Kind.WORK, 3, MANY, 4, 1));
    assertArrayEquals(new long[] {101}, consumer.recorder().distribution().values);
    assertEquals(2, consumer.recorder().distribution().censored);
  }

  @Test
  void whoTimesAllTakesPlainOnesAsAnybody() {
    loops.timesAll = true;
    Member consumer = new Member(0, scene, new Meter(false, 0));
    carryOut(consumer, new Order(1, Order.Kind.WORK, 3, 10, 4, 0));
    assertEquals(List.of("plain 4 on 3", "plain 4 on 3", "plain 2 on 3"), loops.seen);
  }

  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** Uses so much CPU time. */
  private static void burn(long ns) {
    long end = cpuNs() + ns;
    while (cpuNs() < end) {
      Thread.onSpinWait();
    }
  }

  /**
   * What is slow to read is read outside of what is counted, or one thread's CPU time would hold
   * another's reading.
   */
  @Test
  void countsFromBeginToEndAlone() {
    long much = 20_000_000;
    read(Order.Kind.PREPARE);
    burn(much);
    long before = cpuNs();
    read(Order.Kind.BEGIN);
    burn(1_000_000);
    read(Order.Kind.END);
    long used = cpuNs() - before;
    burn(much);
    read(Order.Kind.FINISH);
    long counted = result.threads.get(0).counters.cpuNs();
    assertTrue(counted >= 1_000_000 && counted <= used, counted + " of " + used);
  }

  @Test
  void forgetsWhatItTimedBefore() {
    recorder.record(5);
    read(Order.Kind.BEGIN);
    assertRecorded(0);
  }

  @Test
  void countsMigrationsFromPrepareToFinish() {
    List<Integer> allowed = Pinning.allowedCpus();
    assumeTrue(allowed.size() >= 2, "nothing can be seen to move here");
    List<Integer> last = allowed.subList(allowed.size() - 1, allowed.size());
    Pinning.pinThisThread(allowed.subList(0, 1));
    read(Order.Kind.PREPARE);
    Pinning.pinThisThread(last);
    read(Order.Kind.BEGIN);
    read(Order.Kind.END);
    Pinning.pinThisThread(allowed.subList(0, 1));
    read(Order.Kind.FINISH);
    Pinning.pinThisThread(allowed);
    Long migrations = result.threads.get(0).counters.migrations();
    assertTrue(migrations == null || migrations >= 2, migrations + " migrations");
  }
}
