package threadping.probe.crew;

import java.util.List;
import threadping.probe.message.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Onlooker;
import threadping.probe.platform.Pinning;
import threadping.probe.platform.Threads;

/**
 * One measuring thread: it stands where it is to stand and does what it is ordered to. Made with
 * room around it, since it writes here all the time.
 */
final class Member {
  private static final int LOOKS_BEFORE_YIELD = 1000;
  private static final int LOOKS_BEFORE_SLEEP = 1100;

  /** In a crowd these would take longer than a window. */
  private static final int LOOKS_IN_A_CROWD = 10;

  /** For whoever times all that comes: as many as come while it is away for some microseconds. */
  private static final int ROOM_FOR_ALL = 1024;

  private final int index;
  private final Scene scene;
  private final Board board;
  private final Meter meter;

  /** Whether its operations are the experiment's. */
  private final boolean counts;

  /** Whether it times whatever comes to it stamped. */
  private final boolean timesAll;

  private final Recorder recorder = new Recorder();
  private final Timings timings;

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
    this.timesAll = scene.loops().timesAll(index);
    this.timings = new Timings(timesAll ? ROOM_FOR_ALL : Lead.LESSON_OPS);
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
    while (timesAll && latest.timed > 0 && time(timings.room()) > 0) {
      // What was sent in a window and comes after it is censored, and not left untold.
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
  private Onlooker witness() {
    return meter.isOfVirtual() ? null : new Onlooker(scene.otherTasks(index), false);
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
    int wanted = (int) Math.min(order.chunk, left);
    int done;
    if (timesAll && order.timed > 0) {
      done = time(timings.room());
      wanted = 1; // more come as they come
    } else {
      done = order.timed > 0 ? time(order.timed) : 0;
      int more = wanted - Math.max(order.timed, done);
      done += more > 0 ? loops.plain(index, order.line, more) : 0;
    }
    left -= Math.max(wanted, done);
    add(done, wanted);
    return true;
  }

  /** Operations that are timed one by one; what belongs between two of them comes last. */
  private int time(int count) {
    lookAhead();
    timings.clear();
    int done = loops.timed(index, order.line, 0, timings, count);
    int timed = Math.min(timings.size(), done); // none of an operation that was stopped
    for (int each = 0; each < timed; each++) {
      if (!timings.wasLeftOut(each)) {
        offer(timings.fromNs[each], timings.toNs[each]);
      }
    }
    outliers.after();
    for (int each = 0; each < timed; each++) {
      if (!timings.wasLeftOut(each)) {
        record(timings.fromNs[each], timings.toNs[each]);
      }
    }
    if (done > 0) {
      loops.between(index, order.line);
    }
    return done;
  }

  /**
   * What began and ended inside the window is looked into before it is recorded: recording takes
   * memory, and the faults of its pages are no cause of what was recorded. And one look is for all
   * that was timed at once: while it looks, whatever comes has to wait.
   */
  private void offer(long fromNs, long toNs) {
    pauseNs = fromNs - lastEndNs;
    lastEndNs = toNs;
    if (scene.gate.of(fromNs, toNs) == Gate.Place.INSIDE) {
      outliers.offer(fromNs, toNs - fromNs);
    }
  }

  private void record(long fromNs, long toNs) {
    Gate.Place place = scene.gate.of(fromNs, toNs);
    if (place == Gate.Place.INSIDE) {
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
