package threadping.probe.engine;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import threadping.probe.Failure;
import threadping.probe.platform.Native;
import threadping.probe.platform.Threads;
import threadping.probe.platform.Words;

/**
 * One measuring thread: the loop in which it does what it is ordered to. All else a worker does is
 * its C++ half's (engine/worker.hpp), which makes this one and has the same lines. Nothing of it is
 * called in a window where nothing is timed, and no player runs below native code but the first
 * thread's visits: a virtual thread could not leave its carrier there.
 */
final class Worker extends Samples implements Runnable {
  private static final int LOOKS_BEFORE_YIELD = 1000;
  private static final int LOOKS_BEFORE_SLEEP = 1100;

  /** In a crowd these would take longer than a window. */
  private static final int LOOKS_IN_A_CROWD = 10;

  private static final long NAP_NS = 50_000;

  /**
   * So many operations are one call: few enough for the loop to be compiled as a method soon, and
   * so many that what lies between two calls is nothing beside them.
   */
  private static final int CHUNK = 256;

  /** What is to be one loop may be longer: seconds each, or minutes. */
  private static final int LONGEST_LOOP = 1 << 30;

  private static final long NEVER = Long.MAX_VALUE;

  /** The address of its C++ half. */
  private final long self;

  private final Stage stage;
  private final int index;
  private final boolean isVirtual;
  private final boolean leads;
  private final boolean isStream;
  private final boolean isCrowded;

  /** Where the number of the latest order stands, ... */
  private final long numberAt;

  /** ... what others see of this one, ... */
  private final long opsAt;

  private final long readingsAt;
  private final long finishedAt;

  /** ... and the number of the latest visit, where another thread leads for this one. */
  private final long visitAt;

  private final Thread thread;

  /** Of an order or a visit, as the C++ half writes them. */
  private final long[] wanted = new long[6];

  /** Of the latest visit: what its windows took (ns) and how much was completed, in turn. */
  private final long[] visited = new long[4];

  private Player player;
  private long ops;
  private Task task;

  /** Nothing is looked ahead of before then. */
  private long dueNs = NEVER;

  /** Made by the C++ half; {@code at} are the addresses, {@code room} as in Samples. */
  Worker(
      long self,
      Stage stage,
      int index,
      String role,
      boolean isVirtual,
      boolean leads,
      boolean isStream,
      boolean isCrowded,
      long[] at,
      int room) {
    super(room);
    this.self = self;
    this.stage = stage;
    this.index = index;
    this.isVirtual = isVirtual;
    this.leads = leads;
    this.isStream = isStream;
    this.isCrowded = isCrowded;
    this.numberAt = at[0];
    this.opsAt = at[1];
    this.readingsAt = at[2];
    this.finishedAt = at[3];
    this.visitAt = at[4];
    this.isSampling = leads;
    this.thread = Threads.make(isVirtual, role, this);
  }

  /** Throws OutOfMemoryError where the system refuses. */
  void start() {
    thread.start();
  }

  void join() throws InterruptedException {
    thread.join();
  }

  /** From its pin to its end; who leads does so in any case, so that all are ordered to leave. */
  @Override
  public void run() {
    try {
      boolean stands = stand();
      if (leads) {
        Native.lead(self, this);
      }
      if (leads && isVirtual) {
        makeVisits();
      } else if (stands && !leads) {
        obey();
      }
    } catch (Throwable error) {
      fail(error);
    } finally {
      Native.end(self);
    }
  }

  /** False where it cannot, which is said. */
  private boolean stand() {
    try {
      Native.stand(self);
      player = stage.player(index);
      return true;
    } catch (Throwable error) {
      fail(error);
      return false;
    }
  }

  /**
   * Throws nothing, whatever the heap has room for. Of what nobody foresaw the stack trace goes to
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
      Native.fail(self, unseen); // the first one stands
    }
  }

  // ---- who is led ----

  private void obey() throws InterruptedException {
    for (long number = 0; ; ) {
      number = await(numberAt, number);
      dueNs = Native.takeUp(self, number, wanted);
      if (wanted[0] != 0) {
        break;
      }
      int line = (int) wanted[1];
      task = new Task(line, (int) wanted[4], (int) wanted[5]);
      isSampling = task.every() > 0;
      perform(line, wanted[2], wanted[3] != 0 ? LONGEST_LOOP : CHUNK);
      Words.setRelease(finishedAt, number);
      while (step(number)) {
        // All is in the step: a method that is called so often is compiled as one.
      }
      if (!isStream && wanted[2] + task.count() > 0) {
        leave(line);
      }
    }
    if (isStream) {
      leave(0);
    }
  }

  /**
   * Spins, so that a worker is awake and warm when an order comes; yields after a while, since
   * another thread may need this very CPU; and then sleeps, so that it is free for the compiler.
   */
  private long await(long at, long last) {
    int first = isCrowded ? LOOKS_BEFORE_SLEEP - LOOKS_IN_A_CROWD : 0;
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
    if (task.count() == 0 || Words.getAcquire(numberAt) != number) {
      return false;
    }
    aboutToTime();
    run(task);
    take(true);
    return true;
  }

  // ---- who leads ----

  /** Those that another thread orders, which leads for this one. */
  private void makeVisits() {
    for (long number = 0; ; ) {
      number = await(visitAt, number);
      if (!Native.takeVisit(self, wanted)) {
        return;
      }
      visit((int) wanted[0], wanted[1], wanted[2], (int) wanted[3], wanted[4] != 0);
      Native.visited(self, visited);
    }
  }

  /**
   * Performs on a line as the visit says. The sampling window begins with the reading that ends the
   * throughput one.
   */
  void visit(int line, long leadIn, long throughput, int sampling, boolean whole) {
    Arrays.fill(visited, 0);
    try {
      int atOnce = whole ? LONGEST_LOOP : CHUNK;
      if (perform(line, leadIn, atOnce) < leadIn) {
        return;
      }
      long opened = System.nanoTime();
      long done = perform(line, throughput, atOnce);
      long closed = System.nanoTime();
      visited[0] = closed - opened;
      visited[1] = done;
      if (done < throughput) {
        return;
      }
      if (sampling > 0) {
        visited[3] = run(new Task(line, sampling, 1, closed));
        visited[2] = added > 0 ? toNs[added - 1] - closed : 0;
        take(true);
      }
      if (visited[3] == sampling) {
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
    Words.setRelease(opsAt, ops);
    Words.setRelease(readingsAt, readings);
  }

  @Override
  public void progress(long done) {
    Words.setRelease(opsAt, ops + done);
  }

  /** The line where it worked last, or the stream. */
  private void leave(int line) throws InterruptedException {
    add(player.leave(line, this));
    take(true);
  }

  @Override
  public void aboutToTime() {
    if (isSampling && dueNs != NEVER && !othersWait && System.nanoTime() >= dueNs) {
      dueNs = Native.lookBefore(self);
    }
  }

  @Override
  void settle() {
    take(false);
  }

  /** What was added goes to the C++ half, if there is anything. */
  private void take(boolean mayLook) {
    if (added + numbered > 0 || (made[0] | found[0] | made[1] | found[1]) != 0) {
      boolean looks = mayLook && !othersWait;
      dueNs =
          Native.take(
              self, fromNs, toNs, added, numberIndex, numbers, numbered, made, found, looks);
      added = 0;
      numbered = 0;
      Arrays.fill(made, 0);
      Arrays.fill(found, 0);
    }
  }
}
