package threadping.probe.engine;

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
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;

/**
 * One worker, obeying in the test's own thread orders that its own operations give: nothing here
 * hangs on time.
 */
class WorkerTest {
  private static final long MANY = Order.UNTIL_TOLD;
  private static final Runnable NOTHING = () -> {};
  private static final List<Role> ROLES =
      List.of(
          new Role(
              "alone", true, List.of(new Role.NumberInfo("sizes", "stones")), List.of("throws")));

  private final Scripted acts = new Scripted();
  private final Result result = new Result(List.of("alone"));
  private boolean isOpen;

  private final Scene scene = scene(false);
  private final Worker worker = worker(scene);

  /** Notes each run, and does in the course of each what its script says. */
  private static final class Scripted extends Acting {
    final List<Runnable> script = new ArrayList<>();
    final List<String> seen = new ArrayList<>();

    /** The time, in which an operation takes a while, and a while passes between two. */
    long now = 1000;

    boolean isStopped;

    /** Takes 100 ns, 101 ns, ... where it is timed; the script comes in the middle. */
    @Override
    public int run(int thread, Task task, Samples samples) {
      long from = now;
      now += 50;
      seen.add(task.count() + " on " + task.line() + (task.every() > 0 ? ", sampled" : ""));
      if (seen.size() <= script.size()) {
        script.get(seen.size() - 1).run();
      }
      now += 49 + seen.size();
      samples.tally(0, 2, 1);
      samples.number(0, 3);
      if (task.every() > 0 && !isStopped) {
        samples.add(from, now);
        samples.readClock(2);
      }
      now += 10;
      return isStopped ? 0 : task.count();
    }

    @Override
    public void leave(int thread, int line) {
      seen.add("leave " + line);
    }
  }

  private Scene scene(boolean isStream) {
    return scene(isStream, 30_000 * Requests.MS);
  }

  private Scene scene(boolean isStream, long boundNs) {
    return scene(isStream, false, boundNs);
  }

  private Scene scene(boolean isStream, boolean isOpenLoop, long boundNs) {
    Mechanism scripted =
        new Mechanism("scripted", false, List.of("time"), 1, List.of(), setup -> acts);
    Experiment alone =
        new Experiment(
            "alone", ROLES, 1, 1, Request.Unit.NS, "", isStream, isOpenLoop, List.of(scripted));
    Request request = Requests.brief(alone, (Integer) null);
    request.boundNs = boundNs;
    return new Scene(request, alone, scripted, acts, result);
  }

  private static Worker worker(Scene scene) {
    Worker worker = new Worker(0, scene, new Meter(false, 0), 0);
    worker.stand();
    return worker;
  }

  private static Order work(long number, long count, Task task) {
    return new Order(number, Order.Kind.WORK, count, task);
  }

  /** Obeys this order until the script has been played, which then lets it leave. */
  private void obey(Scene in, Worker who, long count, Task task, Runnable... script)
      throws InterruptedException {
    acts.script.addAll(Arrays.asList(script));
    acts.script.add(in.orders::leave);
    in.orders.give(work(1, count, task));
    who.obey();
  }

  private void obey(long count, Task task, Runnable... script) throws InterruptedException {
    obey(scene, worker, count, task, script);
  }

  private void assertRecorded(long censored, long... values) {
    assertArrayEquals(values, worker.histogram.distribution("ns").values());
    assertEquals(censored, worker.histogram.distribution("ns").censored());
  }

  /** Opens the gate, or closes it. */
  private final Runnable turn =
      () -> {
        isOpen = !isOpen;
        if (isOpen) {
          scene.gate.open(acts.now);
        } else {
          scene.gate.close(acts.now);
        }
      };

  private void read(Order.Kind kind) throws InterruptedException {
    worker.carryOut(new Order(1, kind, 0, Task.NONE));
  }

  @Test
  void theBoundBeginsWithTheThreadsHoweverLongTheyWereMade() {
    assertTrue(scene(false, 0).goesOn());
  }

  @Test
  void worksAsMuchAsItIsToldTo() throws Exception {
    obey(1000, new Task(2, 300, 0), NOTHING, NOTHING, NOTHING);
    assertEquals(List.of("300 on 2", "300 on 2", "300 on 2", "100 on 2", "leave 2"), acts.seen);
    assertEquals(1000, scene.boards[0].ops);
  }

  @Test
  void worksInChunksUntilTheNextOrder() throws Exception {
    obey(MANY, new Task(1, 7, 0), NOTHING, NOTHING);
    assertEquals(List.of("7 on 1", "7 on 1", "7 on 1", "leave 1"), acts.seen);
    assertEquals(21, scene.ops());
    assertEquals(0, scene.boards[0].readings);
  }

  @Test
  void tellsHowOftenItReadTheClock() throws Exception {
    obey(MANY, new Task(3, 4, 4), NOTHING, NOTHING);
    assertEquals(Collections.nCopies(3, "4 on 3, sampled"), acts.seen.subList(0, 3));
    assertEquals(6, scene.boards[0].readings);
  }

  @Test
  void keepsWhatItTimedInsideOneWindow() throws Exception {
    // before the window; over its start; twice inside; over its end; after it
    obey(MANY, new Task(0, 1, 1), NOTHING, turn, NOTHING, NOTHING, turn, NOTHING);
    assertRecorded(2, 102, 103);
  }

  @Test
  void censorsWhatLastedLongerThanAWindowEachTime() throws Exception {
    Runnable pass =
        () -> {
          turn.run();
          turn.run();
        };
    obey(MANY, new Task(0, 1, 1), pass, pass, NOTHING, pass);
    assertRecorded(3);
  }

  /** Whatever windows there are; and the operations that are counted are the same. */
  @Test
  void ofAnOpenLoopKeepsAllThatWasDoneFromBeginToEnd() throws Exception {
    Scene open = scene(true, true, 30_000 * Requests.MS);
    Worker whole = worker(open);
    Order.Kind[] kinds = {Order.Kind.WORK, Order.Kind.BEGIN, Order.Kind.WORK, Order.Kind.END};
    for (int order = 0; order < kinds.length; order++) {
      Order next = new Order(order + 1, kinds[order], order + 1, new Task(0, 1, 1));
      open.orders.give(next);
      whole.carryOut(next);
    }
    assertArrayEquals(
        new long[] {101, 102, 103, 104, 105}, whole.histogram.distribution("ns").values());
    assertEquals(0, whole.histogram.distribution("ns").censored());
    assertEquals(5, whole.numbers[0].samples());
    assertEquals(5, open.measuredOps());
    assertEquals(1, open.opsBefore());
  }

  @Test
  void numbersAreOfWindowsAndTalliesOfSampling() throws Exception {
    obey(MANY, new Task(0, 1, 1), NOTHING, turn, NOTHING, turn, NOTHING);
    assertEquals(2, worker.numbers[0].samples(), "while the gate is open");
    assertEquals(6, worker.found[0]);
  }

  @Test
  void ofThroughputNothingIsKept() throws Exception {
    obey(MANY, new Task(0, 1, 0), NOTHING, turn, NOTHING, turn, NOTHING);
    assertEquals(0, worker.numbers[0].samples());
    assertEquals(0, worker.found[0]);
    assertRecorded(0);
  }

  @Test
  void doesNotGoOnWithACountThatWasEndedFromOutside() throws InterruptedException {
    acts.isStopped = true;
    Order order = work(1, 1000, new Task(2, 300, 0));
    scene.orders.give(order);
    worker.carryOut(order);
    assertEquals(List.of("300 on 2", "leave 2"), acts.seen);
    assertEquals(1, scene.boards[0].finished);
    assertEquals(0, scene.ops());
  }

  /** A follower whose partner has left waits again, unless it was told otherwise. */
  @Test
  void looksAtItsOrdersAndGoesOnWhereThereIsTimeUntilTheNextOne() throws Exception {
    acts.isStopped = true;
    obey(MANY, new Task(1, 7, 0), NOTHING, NOTHING);
    assertEquals(List.of("7 on 1", "7 on 1", "7 on 1", "leave 1"), acts.seen);
  }

  @Test
  void leavesALineOnceForEachOrderOfWork() throws InterruptedException {
    for (int order = 1; order <= 2; order++) {
      Order work = work(order, 10, new Task(order, 10, 0));
      scene.orders.give(work);
      worker.carryOut(work);
    }
    read(Order.Kind.WORK);
    assertEquals(List.of("10 on 1", "leave 1", "10 on 2", "leave 2"), acts.seen);
  }

  /** From one order to the next it goes on; what reads counters too. */
  @Test
  void leavesAStreamOnceAndLast() throws InterruptedException {
    Scene stream = scene(true);
    Worker streaming = worker(stream);
    Order first = work(1, 10, new Task(0, 10, 0));
    Order second = new Order(2, Order.Kind.BEGIN, 20, new Task(0, 20, 0));
    Order rest = work(3, 0, Task.NONE);
    for (Order order : List.of(first, second, rest)) {
      stream.orders.give(order);
      streaming.carryOut(order);
    }
    assertEquals(List.of("10 on 0", "20 on 0", "leave 0"), acts.seen);
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
  void countsFromBeginToEndAlone() throws InterruptedException {
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
  void forgetsWhatTheWarmUpTimed() throws InterruptedException {
    worker.histogram.record(5);
    worker.numbers[0].record(5);
    worker.found[0] = 5;
    read(Order.Kind.BEGIN);
    assertRecorded(0);
    assertEquals(0, worker.numbers[0].samples());
    assertEquals(0, worker.found[0]);
  }

  @Test
  void countsMigrationsFromPrepareToFinish() throws InterruptedException {
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

  @Test
  void looksNeitherAheadNorBehindWhileOthersWait() {
    List<String> looks = new ArrayList<>();
    worker.looks =
        new Looks(scene.request.outliers, null, false, 1) {
          @Override
          void before() {
            looks.add("ahead");
          }

          @Override
          void after(boolean may) {
            looks.add(may ? "behind" : "not behind");
          }
        };
    worker.beginSampling();
    for (boolean waiting : new boolean[] {true, false}) {
      worker.othersWait(waiting);
      worker.aboutToTime();
      worker.settle();
    }
    assertEquals(List.of("not behind", "ahead", "behind"), looks);
  }
}
