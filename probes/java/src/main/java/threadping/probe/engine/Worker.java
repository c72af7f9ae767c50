package threadping.probe.engine;

import java.util.Arrays;
import java.util.List;
import threadping.probe.contract.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;
import threadping.probe.platform.Threads;

/**
 * One measuring thread: it stands where it is to stand and does what it is ordered to. What its
 * player times it takes between two runs: looks into what took long, and records all.
 */
final class Worker extends Samples {
  private static final int LOOKS_BEFORE_YIELD = 1000;
  private static final int LOOKS_BEFORE_SLEEP = 1100;

  /** In a crowd these would take longer than a window. */
  private static final int LOOKS_IN_A_CROWD = 10;

  /** Of samples between two runs; more are settled during one. */
  private static final int ROOM = 1024;

  /** Trace points are files, some for each thread. */
  private static final int FEW_ENOUGH_FOR_TRACE_POINTS = 64;

  private final int index;
  private final Scene scene;
  private final Board board;
  private final Meter meter;

  final Histogram histogram = new Histogram();

  /** By the index of what its role names. */
  final Histogram[] numbers;

  /** Null while nobody is to look into anything. */
  Looks looks;

  private Player player;
  private boolean hasLeft;

  /** What it does now is counted as measured. */
  private boolean isMeasuring;

  private Order order;
  private long left;

  /** The line that it has not left yet; -1: none. */
  private int line = -1;

  Worker(int index, Scene scene, Meter meter, int room) {
    super(Math.max(room, ROOM));
    this.index = index;
    this.scene = scene;
    this.board = scene.boards[index];
    this.meter = meter;
    this.numbers = new Histogram[scene.role(index).numbers().size()];
    for (int each = 0; each < numbers.length; each++) {
      numbers[each] = new Histogram();
    }
    this.order = scene.orders.latest();
  }

  /** Pins the calling thread, and only it, maybe as the process is; and makes its player. */
  void stand() {
    board.task = Threads.task();
    Integer cpu = scene.request.cpus.get(index);
    boolean isAlone = cpu != null && !scene.request.pinsProcess;
    List<Integer> wanted = isAlone ? List.of(cpu) : scene.request.namedCpus();
    own().cpusStart = cpu == null ? Pinning.allowedCpus() : Pinning.pinThisThread(wanted);
    own().cpusEnd = own().cpusStart;
    player = scene.stage.player(index);
  }

  private Result.MeasuringThread own() {
    return scene.result.threads.get(index);
  }

  /** Obeys until it is told to leave. Throws Failure for what a loop saw wrong. */
  void obey() throws InterruptedException {
    while (order.kind() != Order.Kind.LEAVE) {
      carryOut(awaitOrder());
    }
  }

  /**
   * Spins, since whoever gives orders wants its worker awake and warm; yields after a while, since
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
  void carryOut(Order latest) throws InterruptedException {
    order = latest;
    left = latest.count();
    isSampling = latest.task().every() > 0;
    if (scene.isStream && latest.kind() == Order.Kind.LEAVE && !hasLeft) {
      line = 0; // also who never came to work: others may wait for the end of what it sends
    }
    if (!latest.isWork()) {
      leave(); // a stream; what is none has left before
    }
    read(latest.kind());
    if (scene.readsSwitches()) {
      board.switches = meter.involuntarySwitches();
    }
    board.obeyed = latest.number();
    while (step()) {
      // All is in the step: a method that is called so often is compiled as one.
    }
    if (!scene.isStream) {
      leave();
    }
    board.finished = latest.number();
  }

  /** Reads the counters that this kind of order asks for. */
  private void read(Order.Kind kind) {
    switch (kind) {
      case OPEN -> open();
      case PREPARE -> meter.prepare();
      case BEGIN -> begin();
      case END -> {
        meter.end();
        board.measuredOps = board.ops - board.opsBefore;
        isMeasuring = false;
      }
      case FINISH -> {
        own().counters = meter.finish();
        own().cpusEnd = Pinning.allowedCpus();
      }
      default -> {}
    }
    if (isSampling) {
      beginSampling();
    }
  }

  /** Nobody looks at what a virtual thread does. */
  private void open() {
    int[] others = meter.isOfVirtual() ? null : scene.otherTasks(index);
    boolean areFew = scene.boards.length <= FEW_ENOUGH_FOR_TRACE_POINTS;
    looks = new Looks(scene.request.outliers, others, areFew, scene.crowd());
    own().looks = looks.address;
    own().timed = scene.timed(index);
  }

  /** What was recorded so far was the warm-up's. */
  private void begin() {
    histogram.clear();
    for (Histogram each : numbers) {
      each.clear();
    }
    Arrays.fill(made, 0);
    Arrays.fill(found, 0);
    if (looks != null) {
      looks.clear();
    }
    meter.begin();
    board.opsBefore = board.ops;
    isMeasuring = true;
  }

  /** Works for the length of one chunk; false if there is nothing more to do. */
  private boolean step() throws InterruptedException {
    if (left <= 0 || scene.orders.latest() != order) {
      return false;
    }
    Task task = order.task().atMost(left);
    aboutToTime();
    int done = run(task);
    settle();
    left -= Math.max(done, task.count());
    if (done < task.count() && order.count() != Order.UNTIL_TOLD) {
      left = 0; // what was stopped is not gone on with
    }
    return true;
  }

  /** One run, whose samples are still to be taken. */
  int run(Task task) throws InterruptedException {
    line = task.line();
    int done = player.run(task, this);
    board.add(done, readings);
    readings = 0;
    return done;
  }

  /** From here on it is known what is long. */
  void beginSampling() {
    isSampling = true;
    if (looks != null) {
      looks.begin(histogram);
    }
  }

  /** When the last that was timed ended, and is still to be taken. */
  long lastNs(long otherwise) {
    return added > 0 ? toNs[added - 1] : otherwise;
  }

  @Override
  public void aboutToTime() {
    if (isSampling && looks != null && !othersWait) {
      looks.before();
    }
  }

  /** The line where it worked last, or the stream. */
  void leave() throws InterruptedException {
    if (line >= 0) {
      hasLeft = true;
      board.add(player.leave(line, this), 0);
      settle();
      line = -1;
    }
  }

  /**
   * What began and ended inside the window is looked into before it is recorded: recording takes
   * memory, and the faults of its pages are no cause of what was recorded.
   */
  @Override
  void settle() {
    if (looks != null && isSampling) {
      for (int each = 0; each < added; each++) {
        if (place(each) == Gate.Place.INSIDE) {
          looks.offer(fromNs[each], toNs[each]);
        }
      }
      looks.after(!othersWait);
    }
    for (int each = 0; each < added; each++) {
      Gate.Place place = place(each);
      if (place == Gate.Place.INSIDE) {
        histogram.record(toNs[each] - fromNs[each]);
      } else if (place == Gate.Place.CUT) {
        histogram.censor();
      }
    }
    added = 0;
    boolean counts = scene.experiment.openLoop() ? isMeasuring : scene.gate.isOpen();
    takeNumbers(counts ? numbers : null);
  }

  /**
   * Of what was timed this one's. Of an open loop all counts whose end is counted as an operation,
   * whenever it began.
   */
  private Gate.Place place(int each) {
    if (scene.experiment.openLoop()) {
      return isMeasuring ? Gate.Place.INSIDE : Gate.Place.OUTSIDE;
    }
    return scene.gate.of(fromNs[each], toNs[each]);
  }
}
