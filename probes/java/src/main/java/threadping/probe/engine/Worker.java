package threadping.probe.engine;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import threadping.probe.Failure;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;

/**
 * One measuring thread: the loop in which it does what it is ordered to. All else a worker does is
 * its C++ half's (engine/worker.hpp), with which it shares its words. Nothing of it is called in a
 * window where nothing is timed, and no player runs below native code but the first thread's
 * visits: a virtual thread could not leave its carrier there.
 */
final class Worker extends Samples implements Runnable {
  private static final int LOOKS_BEFORE_YIELD = 1000;
  private static final int LOOKS_BEFORE_SLEEP = 1100;

  /** In a barrier these would take longer than a window. */
  private static final int LOOKS_IN_A_BARRIER = 10;

  private static final long NAP_NS = 50_000;

  /**
   * Operations of one call: few enough for the loop to be compiled as a method soon, and enough
   * that what lies between two calls is negligible.
   */
  private static final int CHUNK = 256;

  /** What is to be one loop may be longer: seconds each, or minutes. */
  private static final int LONGEST_LOOP = 1 << 30;

  private static final long NEVER = Long.MAX_VALUE;

  // The offsets of its words (threadping.h, struct threadping_worker), of 8 bytes each.
  private static final int CAPACITY = 11;
  private static final int TALLIES = 14;
  private static final int DUE_NS = 18;
  private static final int ORDER = 19;
  private static final int VISIT = 25;
  private static final int VISITED = 28;

  /** The address of its words. */
  private final long self;

  final int index;
  final Thread thread;
  private final Stage stage;
  private final boolean isVirtual;
  private final boolean leads;
  private final boolean isStream;
  private final boolean isCrowded;

  /** Where the number of the latest order is, ... */
  private final long orderAt;

  /** ... what others see of this one, ... */
  private final long operationsAt;

  private final long readingsAt;
  private final long finishedAt;

  /** ... and the number of the latest visit, where another thread leads for this one. */
  private final long askedAt;

  /** Where what is taken is written. */
  private final long timingsAt;

  private final long numbersAt;

  /** An order, or a visit, read from the words: made here, since the heap may be full later. */
  private final long[] order = new long[6];

  private final long[] visit = new long[3];

  private Player player;
  private long ops;

  /** The number of the latest order that it has taken up. */
  private long taken;

  private Task task;

  /** Nothing is looked ahead of before then. */
  private long dueNs = NEVER;

  /** Makes a worker from its words. */
  Worker(long self, Stage stage, List<Role> roles) {
    super((int) Words.get(self + 8 * CAPACITY));
    this.self = self;
    this.stage = stage;
    long[] words = new long[13];
    read(1, words);
    this.index = (int) words[0];
    this.leads = words[1] != 0;
    this.isVirtual = words[2] != 0;
    this.isStream = words[3] != 0;
    this.isCrowded = words[4] != 0;
    this.orderAt = words[5];
    this.operationsAt = words[6];
    this.readingsAt = words[7];
    this.finishedAt = words[8];
    this.askedAt = words[9];
    this.timingsAt = words[11];
    this.numbersAt = words[12];
    this.isSampling = leads;
    this.thread = stage.thread(index, isVirtual, roles.get(stage.roleOf(index)).name(), this);
    if (isCrowded) {
      stage.shareCpus();
    }
  }

  /** Words, from this one on. */
  private void read(int first, long[] into) {
    for (int each = 0; each < into.length; each++) {
      into[each] = Words.get(self + 8L * (first + each));
    }
  }

  private void setWord(int which, long value) {
    Words.set(self + 8L * which, value);
  }

  /** As an unsigned number it may be the largest. */
  private void readDue() {
    dueNs = Words.get(self + 8 * DUE_NS) & NEVER;
  }

  /** From its pin to its end; who leads does so in any case, so that all are ordered to leave. */
  @Override
  public void run() {
    try {
      boolean isSetUp = setUp();
      if (leads) {
        Native.lead(self);
      }
      if (leads && isVirtual) {
        makeVisits();
      } else if (isSetUp && !leads) {
        obey();
      }
    } catch (Throwable error) {
      fail(error);
    } finally {
      Native.end(self);
    }
  }

  /** False where it cannot, which is said. */
  private boolean setUp() {
    try {
      boolean isSetUp = Native.setUp(self);
      player = isSetUp ? stage.player(index) : null;
      return isSetUp;
    } catch (Throwable error) {
      fail(error);
      return false;
    }
  }

  /**
   * Throws nothing, even if the heap is full. The stack trace of an unforeseen error goes to
   * standard error by default.
   */
  private void fail(Throwable error) {
    Native.fail(self, error);
    if (error instanceof Failure || error instanceof OutOfMemoryError) {
      return;
    }
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
    } catch (Throwable unseen) {
      Native.fail(self, unseen); // the first one is kept
    }
  }

  // ---- who is led ----

  private void obey() throws InterruptedException {
    for (; ; ) {
      takeUp(await(orderAt, taken));
      if (order[0] != 0) {
        break;
      }
      int line = (int) order[1];
      long count = order[2];
      task = new Task(line, (int) order[4], (int) order[5]);
      isSampling = task.every() > 0;
      perform(line, count, order[3] != 0 ? LONGEST_LOOP : CHUNK);
      Words.setRelease(finishedAt, taken);
      while (step(taken)) {
        // All is in the step: a method that is called so often is compiled as one.
      }
      if (order[0] != 0) {
        break; // taken up by a run that went on
      }
      if (!isStream && count + task.count() > 0) {
        leave(line);
      }
    }
    if (isStream) {
      leave(0);
    }
  }

  private void takeUp(long number) {
    taken = number;
    Native.takeUp(self, number);
    readDue();
    read(ORDER, order);
  }

  @Override
  public void goOn(long done) {
    progress(done);
    long number = Words.getAcquire(orderAt);
    if (number != taken) {
      take(false);
      takeUp(number);
      Words.setRelease(finishedAt, number);
    }
  }

  /**
   * Spins, so that a worker is awake and warm when an order comes; yields after a while, since
   * another thread may need this very CPU; and then sleeps, so that it is free for the compiler.
   */
  private long await(long at, long last) {
    int first = isCrowded ? LOOKS_BEFORE_SLEEP - LOOKS_IN_A_BARRIER : 0;
    long latest = last;
    for (int looks = first; (latest = Words.getAcquire(at)) == last; looks++) {
      if (looks > LOOKS_BEFORE_SLEEP) {
        if (isVirtual) {
          LockSupport.parkNanos(NAP_NS);
        } else {
          Native.awaitOrder(self, last);
        }
      } else if (looks > LOOKS_BEFORE_YIELD) {
        Thread.yield();
      }
    }
    return latest;
  }

  /** Works for the length of one chunk; false if there is nothing more to do. */
  private boolean step(long number) throws InterruptedException {
    if (task.count() == 0 || Words.getAcquire(orderAt) != number || order[0] != 0) {
      return false;
    }
    aboutToTime();
    run(task);
    take(true);
    return true;
  }

  // ---- who leads ----

  /** Makes the visits that another thread orders, which leads for this one. */
  private void makeVisits() {
    for (long number = 0; ; ) {
      number = await(askedAt, number);
      if (!Native.takeVisit(self)) {
        return;
      }
      visit();
      Native.visited(self);
    }
  }

  /**
   * Performs on a line as the visit in the words says. The sampling window begins with the reading
   * that ends the throughput one.
   */
  void visit() {
    try {
      read(ORDER, order);
      read(VISIT, visit);
      int line = (int) order[1];
      int atOnce = order[3] != 0 ? LONGEST_LOOP : CHUNK;
      long throughput = visit[1];
      int sampling = (int) visit[2];
      if (perform(line, visit[0], atOnce) < visit[0]) {
        return;
      }
      long opened = System.nanoTime();
      long done = perform(line, throughput, atOnce);
      long closed = System.nanoTime();
      setWord(VISITED, closed - opened);
      setWord(VISITED + 1, done);
      if (done < throughput) {
        return;
      }
      int sampled = sampling > 0 ? run(new Task(line, sampling, 1, closed)) : 0;
      setWord(VISITED + 2, added > 0 ? toNs[added - 1] - closed : 0);
      setWord(VISITED + 3, sampled);
      take(true);
      if (sampled == sampling) {
        leave(line);
      }
    } catch (Throwable error) {
      fail(error);
    }
  }

  // ---- both ----

  /** Returns how many were completed: fewer where they were stopped. */
  private long perform(int line, long count, int atOnce) throws InterruptedException {
    long done = 0;
    for (long wants = 0, last = 0; done < count && last >= wants; done += last) {
      wants = Math.min(atOnce, count - done);
      last = run(new Task(line, (int) wants, 0));
    }
    return done;
  }

  /** One run, whose samples are still to be taken. */
  private int run(Task task) throws InterruptedException {
    int done = player.run(task, this);
    add(done);
    return done;
  }

  /** Stores with release order: the full fence of a volatile store would be a pause of ours. */
  private void add(int done) {
    ops += done;
    Words.setRelease(operationsAt, ops);
    Words.setRelease(readingsAt, readings);
  }

  @Override
  public void progress(long done) {
    Words.setRelease(operationsAt, ops + done);
  }

  /** The line where it worked last, or the stream. */
  private void leave(int line) throws InterruptedException {
    add(player.leave(line, this));
    take(true);
  }

  @Override
  public void aboutToTime() {
    if (isSampling && dueNs != NEVER && !othersWait && System.nanoTime() >= dueNs) {
      Native.lookBefore(self);
      readDue();
    }
  }

  @Override
  void settle() {
    take(false);
  }

  /** What was added goes to the C++ half, if there is anything. */
  private void take(boolean mayLook) {
    numbered = numbersAt == 0 ? 0 : numbered; // of a role that names none
    if (added + numbered > 0 || (made[0] | found[0] | made[1] | found[1]) != 0) {
      for (int each = 0; each < added; each++) {
        Words.set(timingsAt + 16L * each, fromNs[each]);
        Words.set(timingsAt + 16L * each + 8, toNs[each]);
      }
      for (int each = 0; each < numbered; each++) {
        Words.set(numbersAt + 16L * each, numberIndex[each]);
        Words.set(numbersAt + 16L * each + 8, numbers[each]);
      }
      for (int pair = 0; pair < made.length; pair++) {
        setWord(TALLIES + pair, made[pair]);
        setWord(TALLIES + made.length + pair, found[pair]);
      }
      Native.take(self, added, numbered, mayLook && !othersWait);
      readDue();
      added = 0;
      numbered = 0;
      Arrays.fill(made, 0);
      Arrays.fill(found, 0);
    }
  }
}
