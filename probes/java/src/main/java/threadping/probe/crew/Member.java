package threadping.probe.crew;

import java.util.List;
import threadping.probe.message.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;
import threadping.probe.platform.Threads;
import threadping.probe.platform.Witness;

/**
 * One measuring thread: it stands where it is to stand and does what it is ordered to. Made with
 * room around it, since it writes here all the time.
 */
final class Member {
  private static final int LOOKS_BEFORE_YIELD = 1000;
  private static final int LOOKS_BEFORE_SLEEP = 1100;

  /** In a crowd these would take longer than a window. */
  private static final int LOOKS_IN_A_CROWD = 10;

  private final int index;
  private final Scene scene;
  private final Board board;
  private final Meter meter;

  /** Whether its operations are the experiment's. */
  private final boolean counts;

  private final Recorder recorder = new Recorder();
  private final Timings timings = new Timings(Lead.LESSON_OPS);

  /** Without anybody who looks as long as nobody is to. */
  private Outliers outliers = Outliers.unseen();

  private Order order;
  private Loops loops;
  private long left;
  private long ops;

  /** The last two timed operations: when the last ended, and how long after the one before. */
  private long lastEndNs;

  private long pauseNs;

  Member(int index, Scene scene, Meter meter) {
    this.index = index;
    this.scene = scene;
    this.board = scene.boards[index];
    this.meter = meter;
    this.counts = scene.loops().counted(index);
    this.order = scene.orders.latest();
  }

  /** Pins the calling thread, and only it, or finds it pinned with the process. */
  void stand() {
    board.task = Threads.task();
    Integer cpu = scene.request.cpus.get(index);
    List<Integer> cpus;
    if (cpu == null) {
      cpus = Pinning.allowedCpus();
    } else if (scene.request.pinsProcess) {
      cpus = Pinning.confirm(scene.request.namedCpus());
    } else {
      cpus = Pinning.pinThisThread(List.of(cpu));
    }
    own().cpusStart = cpus;
    own().cpusEnd = cpus;
  }

  private Result.MeasuringThread own() {
    return scene.result.threads.get(index);
  }

  /** Obeys until it is told to leave. Throws Failure for what a loop saw wrong. */
  void obey() throws InterruptedException {
    while (order.kind != Order.Kind.LEAVE) {
      carryOut(awaitOrder());
    }
  }

  /**
   * Spins, since whoever gives orders wants its member awake and warm; yields after a while, since
   * somebody may need this very CPU; and then sleeps, so that it is free for the compiler.
   */
  private Order awaitOrder() throws InterruptedException {
    Orders orders = scene.orders;
    int first = scene.isCrowded ? LOOKS_BEFORE_SLEEP - LOOKS_IN_A_CROWD : 0;
    for (int looks = first; orders.latest() == order; looks++) {
      if (looks > LOOKS_BEFORE_SLEEP) {
        orders.sleep(order);
      } else if (looks > LOOKS_BEFORE_YIELD) {
        Thread.yield();
      }
    }
    return orders.latest();
  }

  /** Does what it is ordered to, until that is done or there is another order. */
  void carryOut(Order latest) {
    order = latest;
    left = latest.count;
    loops = scene.loops();
    board.obeyed = latest.number;
    if (left == 0) {
      read(latest.kind);
    }
    if (latest.timed > 0) {
      beginTiming();
    }
    while (step()) {
      // All is in the step: a method that is called so often is compiled as one.
    }
    if (latest.kind == Order.Kind.WORK) {
      loops.leave(index, latest.line);
    }
    board.finished = latest.number;
  }

  /** Reads the counters that this kind of order asks for. */
  private void read(Order.Kind kind) {
    switch (kind) {
      case OPEN:
        outliers = new Outliers(scene.request.outliers.most, witness());
        break;
      case LOOK:
        outliers.measureAmong(scene.boards.length);
        break;
      case PREPARE:
        meter.prepare();
        break;
      case BEGIN:
        recorder.clear();
        outliers.clear();
        meter.begin();
        break;
      case END:
        meter.end();
        break;
      case FINISH:
        own().counters = meter.finish();
        own().cpusEnd = Pinning.allowedCpus();
        break;
      default:
    }
  }

  /** Nobody looks at what a virtual thread does. */
  private Witness witness() {
    return meter.isOfVirtual() ? null : new Witness(scene.otherTasks(index));
  }

  /** From here on it is known what is long. */
  void beginTiming() {
    outliers.begin(scene.outliers(), recorder, lastEndNs);
  }

  /** Works for the length of one chunk; false if there is nothing more to do. */
  private boolean step() {
    if (left <= 0 || scene.orders.latest() != order) {
      return false;
    }
    int count = (int) Math.min(order.chunk, left);
    left -= count;
    int done = order.timed > 0 ? time(order.timed) : 0;
    if (count > order.timed) {
      done += loops.plain(index, order.line, count - order.timed);
    }
    add(done, count);
    return true;
  }

  /** Operations that are timed one by one; what belongs between two of them comes last. */
  private int time(int count) {
    lookAhead();
    int done = loops.timed(index, order.line, 0, timings, count);
    for (int each = 0; each < done; each++) {
      if (!timings.wasLeftOut(each)) {
        judge(timings.fromNs[each], timings.toNs[each]);
      }
    }
    if (done > 0) {
      loops.between(index, order.line);
    }
    return done;
  }

  /**
   * Looks into what began and ended inside the window, and then records it: recording takes memory,
   * and the faults of its pages are no cause of what was recorded.
   */
  private void judge(long fromNs, long toNs) {
    pauseNs = fromNs - lastEndNs;
    lastEndNs = toNs;
    Gate.Place place = scene.gate.of(fromNs, toNs);
    if (place == Gate.Place.INSIDE) {
      outliers.offer(fromNs, toNs - fromNs);
      outliers.after();
      recorder.record(toNs - fromNs);
    } else if (place == Gate.Place.CUT) {
      recorder.censor();
    }
  }

  /**
   * Looks ahead of a timed operation, if the last look was long ago. When it will begin is told by
   * when the one before did, so that no clock is read for it.
   */
  void lookAhead() {
    outliers.before(lastEndNs + pauseNs);
  }

  /** The same of a chain that was timed inside a window; returns how long it was. */
  long record(Timings chain, int count) {
    if (count > 0) {
      lastEndNs = chain.toNs[count - 1];
    }
    for (int each = 0; each < count; each++) {
      outliers.offer(chain.fromNs[each], chain.ns(each));
    }
    outliers.after();
    return recorder.record(chain, count);
  }

  /**
   * Counts what was done of what was wanted. What was stopped, or was left by whom it waits for, is
   * not gone on with, unless there is time until the next order.
   */
  void add(long done, long wanted) {
    if (done < wanted && order.count != Order.UNTIL_TOLD) {
      left = 0;
    }
    if (counts) {
      ops += done * scene.weight();
      board.ops = ops;
    }
  }

  /** Of what it timed. */
  Outliers outliers() {
    return outliers;
  }

  Recorder recorder() {
    return recorder;
  }
}
