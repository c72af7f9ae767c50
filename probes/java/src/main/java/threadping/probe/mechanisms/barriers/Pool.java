package threadping.probe.mechanisms.barriers;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import threadping.probe.engine.Samples;

/**
 * A pool of threads: a round is a task for each worker, submitted one after the other, and a wait
 * for each, which is what invokeAll does. Which thread performs which task is the pool's affair: a
 * fast one may perform two.
 *
 * <p>The threads are the pool's own, which it starts. They live as the engine's workers do, and do
 * what the pool would have them do in {@link #serve}.
 */
public final class Pool implements Barrier {
  /** What a worker does of a round; gives how often it read the clock. */
  public interface Body {
    long play(int worker, long round);
  }

  private static final int MOST_TRIES = 1000;
  private static final long MOST_WAIT_MS = 10;

  private final ExecutorService service;
  private final boolean forks;
  private final Future<?>[] futures;
  private final Runnable[] tasks;
  private long round;
  private volatile CountDownLatch summoned = new CountDownLatch(0);

  /** The one that is to be started next. */
  private volatile Thread next;

  private Pool(int workers, boolean forks) {
    this.forks = forks;
    futures = new Future<?>[workers];
    tasks = new Runnable[workers];
    service =
        forks
            ? new ForkJoinPool(workers, any -> (ForkJoinWorkerThread) taken(), null, false)
            : new ThreadPoolExecutor(
                workers,
                workers,
                0,
                TimeUnit.NANOSECONDS,
                new LinkedBlockingQueue<>(),
                loop -> {
                  Thread thread = taken();
                  if (thread instanceof FixedSeat seat) {
                    seat.loop = loop;
                  }
                  return thread;
                });
  }

  static Pool fixed(int workers) {
    return new Pool(workers, false);
  }

  static Pool forkJoin(int workers) {
    return new Pool(workers, true);
  }

  /** Once, before there is a thread. */
  public void perform(Body body) {
    for (int each = 0; each < tasks.length; each++) {
      int worker = each;
      tasks[each] =
          () -> {
            long readings = body.play(worker, round);
            if (Thread.currentThread() instanceof Seat seat) {
              seat.turn().played(readings);
            }
          };
    }
  }

  /** A thread of the pool's that lives so: its start has the pool start it. */
  public Thread thread(Runnable life) {
    return forks ? new ForkSeat(life) : new FixedSeat(life);
  }

  private Thread taken() {
    Thread thread = next;
    next = null;
    return thread;
  }

  /** Has the pool start this thread, for which it is asked by a task. */
  private void begin(Thread thread) {
    next = thread;
    try {
      for (int tries = 0; next != null; tries++) {
        if (tries == MOST_TRIES) {
          throw new IllegalStateException("The pool starts no more threads.");
        }
        wake();
      }
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Wakes or starts one thread more for a task that does nothing. A ForkJoinPool hears of a task in
   * a queue where another waits no sooner than of that one, and each thread that submits has a
   * queue of its own, but for those whose hashes meet: so another thread submits it.
   */
  private void wake() throws InterruptedException {
    Thread other =
        new Thread(
            () -> {
              try {
                service.execute(() -> {});
              } catch (RejectedExecutionException ended) {
                // summon() and join() end with the pool
              }
            },
            "submits");
    other.start();
    other.join();
  }

  /** On a thread of the pool's: what that would have it do, until there is no more. How much. */
  public int serve(Samples samples) {
    Seat seat = (Seat) Thread.currentThread();
    seat.turn().samples = samples;
    seat.loop();
    Thread.interrupted(); // so the pool may have ended it
    return seat.turn().done;
  }

  /**
   * Has every thread see what is ordered: each performs one task of this, since none ends before
   * all have begun. Otherwise one to which the pool gives nothing would never look. A ForkJoinPool
   * wakes one thread for several tasks and counts on it to wake the next, which it may fail to do.
   */
  public void summon() throws InterruptedException {
    CountDownLatch here = new CountDownLatch(tasks.length);
    summoned = here;
    try {
      for (int worker = 0; worker < tasks.length; worker++) {
        service.execute(() -> come(here));
      }
      while (!here.await(MOST_WAIT_MS, TimeUnit.MILLISECONDS)) {
        wake();
      }
    } catch (RejectedExecutionException ended) {
      stop();
    }
  }

  private static void come(CountDownLatch here) {
    Turn turn = ((Seat) Thread.currentThread()).turn();
    turn.samples.goOn(turn.done);
    here.countDown();
    try {
      here.await();
    } catch (InterruptedException ended) {
      return;
    }
  }

  @Override
  public void release(long round) {
    this.round = round;
    try {
      for (int worker = 0; worker < tasks.length; worker++) {
        futures[worker] = service.submit(tasks[worker]);
      }
    } catch (RejectedExecutionException ended) {
      stop();
    }
  }

  @Override
  public void join(long round) throws InterruptedException {
    try {
      for (Future<?> future : futures) {
        future.get();
      }
    } catch (CancellationException ended) {
      return;
    } catch (ExecutionException error) {
      throw new IllegalStateException(error.getCause());
    }
  }

  @Override
  public void await(int worker, long round) {
    throw new UnsupportedOperationException("a pool's workers are called");
  }

  @Override
  public void arrive(int worker, long round) {
    throw new UnsupportedOperationException("a pool's workers are called");
  }

  @Override
  public void end(long round) {
    service.shutdown();
  }

  /** Tasks that are not to be performed any more never end by themselves. */
  @Override
  public void stop() {
    service.shutdownNow();
    while (summoned.getCount() > 0) {
      summoned.countDown();
    }
    for (Future<?> future : futures) {
      if (future != null) {
        future.cancel(false);
      }
    }
  }

  /** What a thread has performed. */
  private static final class Turn {
    Samples samples;
    int done;

    void played(long readings) {
      samples.readClock((int) readings);
      samples.goOn(++done);
    }
  }

  private interface Seat {
    Turn turn();

    void loop();
  }

  private final class FixedSeat extends Thread implements Seat {
    private final Turn turn = new Turn();
    private Runnable loop;

    FixedSeat(Runnable life) {
      super(life, "worker");
      setDaemon(true);
    }

    @Override
    public Turn turn() {
      return turn;
    }

    @Override
    public void loop() {
      loop.run();
    }

    @Override
    public void start() {
      if (loop == null) {
        begin(this);
      } else {
        super.start(); // by the pool, which since Java 19 starts it past this method
      }
    }
  }

  private final class ForkSeat extends ForkJoinWorkerThread implements Seat {
    private final Turn turn = new Turn();
    private final Runnable life;
    private boolean begun;

    ForkSeat(Runnable life) {
      super((ForkJoinPool) service);
      this.life = life;
      setDaemon(true);
    }

    @Override
    public Turn turn() {
      return turn;
    }

    @Override
    public void loop() {
      super.run();
    }

    @Override
    public void run() {
      life.run();
    }

    @Override
    public void start() {
      if (begun) {
        super.start();
      } else {
        begun = true;
        begin(this);
      }
    }
  }
}
