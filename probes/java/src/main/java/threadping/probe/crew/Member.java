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

  /** Null where it times nothing. */
  private final Recorder recorder;

  private final long[] durations = new long[Lessons.MOST_OPS];
  private Loops loops;
  private long number;
  private Orders.Kind kind = Orders.Kind.REST;
  private int line;
  private long left;
  private int chunk;
  private int timed;
  private long ops;

  Member(int index, Scene scene, Meter meter, Recorder recorder) {
    this.index = index;
    this.scene = scene;
    this.board = scene.boards[index];
    this.meter = meter;
    this.recorder = recorder;
  }

  /** Pins the calling thread, and only it, or finds it pinned with the process. */
  void stand() {
    Integer cpu = scene.request.cpus.get(index);
    List<Integer> ofProcess = scene.request.namedCpus();
    List<Integer> cpus;
    if (cpu == null) {
      cpus = Pinning.allowedCpus();
    } else if (scene.request.pinsProcess) {
      cpus = Pinning.confirm(ofProcess);
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
    while (kind != Orders.Kind.LEAVE) {
      take(awaitOrder());
      if (kind != Orders.Kind.WORK) {
        perform(kind);
      }
      while (step()) {
        // All is in the step: a method that is called so often is compiled as one.
      }
      board.finished = number;
    }
  }

  /**
   * Spins, since whoever gives orders wants its member awake and warm; yields after a while, since
   * somebody may need this very CPU; and then sleeps, so that it is free for the compiler.
   */
  private long awaitOrder() throws InterruptedException {
    Orders orders = scene.orders;
    for (int looks = 0; orders.number() == number; looks++) {
      if (looks > LOOKS_BEFORE_SLEEP) {
        orders.sleep(number);
      } else if (looks > LOOKS_BEFORE_YIELD) {
        Thread.yield();
      }
    }
    return orders.number();
  }

  private void take(long latest) {
    Orders orders = scene.orders;
    number = latest;
    kind = orders.kind(latest);
    boolean isWork = kind == Orders.Kind.WORK || kind == Orders.Kind.SAMPLE;
    line = orders.line();
    left = isWork ? orders.count() : 0;
    chunk = orders.chunk();
    timed = orders.timed();
    loops = scene.loops();
    board.obeyed = latest;
  }

  /** Works for the length of one loop; false if there is nothing more to do. */
  private boolean step() {
    if (left <= 0 || scene.orders.number() != number) {
      return false;
    }
    left -= kind == Orders.Kind.SAMPLE ? sample() : work();
    return true;
  }

  /** Reads the counters that this kind of order asks for. */
  void perform(Orders.Kind asked) {
    switch (asked) {
      case PREPARE:
        meter.prepare();
        break;
      case BEGIN:
        if (recorder != null) {
          recorder.clear();
        }
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

  private long work() {
    int count = (int) Math.min(chunk, left);
    return add(loops.plain(index, line, count), count);
  }

  /**
   * The first operation of a chunk is recorded, if it began and ended inside one window. A gate
   * that moved meanwhile makes it longer than anything, and so censored.
   */
  private long sample() {
    long before = scene.gate.turns();
    int done = loops.timed(index, line, 0, durations, timed);
    long moved = scene.gate.turns() - before;
    if (done > 0 && moved + (before & 1) > 0) {
      recorder.record(durations[0] + moved * (Recorder.LONGEST_NS + 1));
    }
    int untimed = chunk - timed;
    return add(untimed > 0 ? done + loops.plain(index, line, untimed) : done, chunk);
  }

  /** Counts what was done of what was wanted; what was stopped is not gone on with. */
  long add(long done, long wanted) {
    if (done < wanted) {
      left = 0;
    }
    ops += done * scene.weight();
    board.ops = ops;
    return done;
  }

  Recorder recorder() {
    return recorder;
  }
}
