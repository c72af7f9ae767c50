package threadping.probe.crew;

import java.util.List;
import threadping.probe.message.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;

/**
 * One measuring thread: it stands where it is to stand and does what it is ordered to. Made with
 * room around it, since it writes here all the time.
 */
final class Member {
  private static final int LOOKS_BEFORE_YIELD = 1000;
  private static final int LOOKS_BEFORE_SLEEP = 1100;

  private final int index;
  private final Scene scene;
  private final Board board;
  private final Meter meter;
  private final Recorder recorder = new Recorder();
  private final long[] durations = new long[Lead.LESSON_OPS];
  private Order order;
  private Loops loops;
  private long left;
  private long ops;

  Member(int index, Scene scene, Meter meter) {
    this.index = index;
    this.scene = scene;
    this.board = scene.boards[index];
    this.meter = meter;
    this.order = scene.orders.latest();
  }

  /** Pins the calling thread, and only it, or finds it pinned with the process. */
  void stand() {
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
    for (int looks = 0; orders.latest() == order; looks++) {
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
    while (step()) {
      // All is in the step: a method that is called so often is compiled as one.
    }
    board.finished = latest.number;
  }

  /** Reads the counters that this kind of order asks for. */
  private void read(Order.Kind kind) {
    switch (kind) {
      case PREPARE:
        meter.prepare();
        break;
      case BEGIN:
        recorder.clear();
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

  /**
   * Operations of which the first is recorded, if it began and ended inside one window. A gate that
   * moved meanwhile makes it longer than anything, and so censored.
   */
  private int time(int count) {
    long before = scene.gate.get();
    int done = loops.timed(index, order.line, 0, durations, count);
    long moved = scene.gate.get() - before;
    if (done > 0 && moved + (before & 1) > 0) {
      recorder.record(durations[0] + moved * (Recorder.LONGEST_NS + 1));
    }
    return done;
  }

  /** Counts what was done of what was wanted; what was stopped is not gone on with. */
  void add(long done, long wanted) {
    if (done < wanted) {
      left = 0;
    }
    ops += done * scene.weight();
    board.ops = ops;
  }

  Recorder recorder() {
    return recorder;
  }
}
