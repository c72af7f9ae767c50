package threadping.probe.experiments.barrier;

import static threadping.probe.Failure.Code.SEQUENCE_BROKEN;

import java.util.Map;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Params;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.barriers.Barrier;
import threadping.probe.mechanisms.barriers.Pool;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Threads;
import threadping.probe.platform.Words;

/**
 * A barrier and its threads; the first is the coordinator. Outside the mechanism they report to
 * each other, on lines of their own, what is checked and when a worker ran:
 *
 * <pre>
 *   coordinator:  the brief, seldom; the round that it has come to
 *   worker:  the rounds that it took part in; when it ran, and had done, in the latest timed one
 * </pre>
 */
final class BarrierStage implements Stage {
  private static final long MICROSECOND = 1000;
  private static final long NAP_NS = 50_000;

  /** The numbers that a coordinator reports of a timed round. */
  private static final int FIRST = 0;

  private static final int LAST = 1;
  private static final int SPREAD = 2;
  private static final int DONE = 3;

  // The brief's words: one round in `every` is timed, a power of two; the number that is no round.
  private static final int EVERY = 0;
  private static final int NO_ROUND = 8;
  private static final int STOPPED = 16;

  // A worker's: how many rounds; when it came; the round that had not begun; when it had done.
  private static final int ROUNDS = 0;
  private static final int CAME_NS = 8;
  private static final int EARLY = 16;
  private static final int DONE_NS = 24;

  private final Barrier barrier;
  private final int workers;
  private final long jobs;
  private final long work;
  private final long imbalance;
  private final long pauseNs;
  private final boolean ticks;
  private final boolean joins;
  private final Lines lines;
  private final long brief;
  private final long begun;
  private final Part[] parts;

  BarrierStage(Barrier barrier, Mechanism.Setup setup) {
    Params params = setup.params();
    this.barrier = barrier;
    workers = setup.threads() - 1;
    long asked = params.number(BarrierExperiment.JOBS.name());
    jobs = asked == 0 ? workers : asked;
    work = params.number(BarrierExperiment.WORK.name());
    imbalance = params.number(BarrierExperiment.IMBALANCE.name());
    Native.checkRound(workers, jobs, work, imbalance);
    pauseNs = MICROSECOND * params.number(BarrierExperiment.PAUSE.name());
    ticks = params.text(BarrierExperiment.PACING.name()).equals("period");
    joins = params.text(BarrierExperiment.JOIN.name()).equals("yes");
    lines = new Lines(1, workers + 2);
    brief = lines.pair(0, 0);
    begun = lines.pair(0, 1);
    Words.set(brief + NO_ROUND, Long.MAX_VALUE);
    parts = new Part[workers];
    for (int worker = 0; worker < workers; worker++) {
      parts[worker] = new Part(worker);
    }
    if (barrier instanceof Pool pool) {
      pool.perform((worker, round) -> parts[worker].play(round));
    }
  }

  @Override
  public Player player(int thread) {
    return thread == 0 ? new Coordinator() : new Worker(thread - 1);
  }

  @Override
  public Thread thread(int thread, boolean virtual, String name, Runnable life) {
    boolean brings = thread > 0 && barrier instanceof Pool;
    return brings ? ((Pool) barrier).thread(life) : Threads.make(virtual, name, life);
  }

  @Override
  public void shareCpus() {
    barrier.shareCpus();
  }

  @Override
  public int roleOf(int thread) {
    return thread == 0 ? 0 : 1;
  }

  @Override
  public boolean comparesClocks(int one, int other) {
    return roleOf(one) != roleOf(other);
  }

  @Override
  public void stop(int line) {
    Words.setVolatile(brief + STOPPED, 1);
    barrier.stop();
  }

  @Override
  public long progress(int line) {
    return Words.getOpaque(begun);
  }

  /** The rounds that the coordinator began for workers, and those in which they took part. */
  @Override
  public Map<String, Held> counts(long[] ops) {
    long found = 0;
    for (Part part : parts) {
      found += Words.getAcquire(part.own + ROUNDS);
    }
    return isStopped() ? Map.of() : Map.of("rounds", new Held(ops[0] * workers, found, true));
  }

  @Override
  public long memory() {
    return lines.start();
  }

  private boolean isStopped() {
    return Words.getOpaque(brief + STOPPED) != 0;
  }

  private boolean isOver(long round) {
    return isStopped() || round >= Words.getOpaque(brief + NO_ROUND);
  }

  private boolean isTimed(long round) {
    long every = Words.getOpaque(brief + EVERY);
    return every > 0 && (round & every - 1) == every / 2;
  }

  /** This worker's number of jobs in the first rounds. */
  private long jobsUntil(long round, int worker) {
    return (round * jobs + workers - 1 - worker) / workers;
  }

  /**
   * What a worker does in a round once it is released: says when it came where that is timed, does
   * its jobs, and counts the round.
   */
  private final class Part extends LinePair {
    private static final int AT_ONCE = 1 << 30;

    private final int worker;
    private final long own;
    private final long steps;
    private final Work worked = new Work();
    private long taken;

    Part(int worker) {
      this.worker = worker;
      own = lines.pair(0, 2 + worker);
      steps = work + work * imbalance * worker / Math.max(1, workers - 1) / 100;
    }

    /** How often it read the clock; -1 where that is no round any more. */
    long play(long round) {
      boolean timed = isTimed(round);
      long now = timed ? System.nanoTime() : 0;
      if (isOver(round)) {
        return -1;
      }
      if (timed) {
        Words.setOpaque(own + CAME_NS, now);
        if (Words.getOpaque(begun) < round) {
          Words.setOpaque(own + EARLY, round);
        }
      }
      if (steps > 0) {
        work(steps * (jobsUntil(round, worker) - jobsUntil(round - 1, worker)));
      }
      if (timed && !joins) {
        Words.setOpaque(own + DONE_NS, System.nanoTime());
      }
      taken++;
      Words.setOpaque(own + ROUNDS, taken);
      return timed ? 1 : 0;
    }

    private void work(long steps) {
      for (long left = steps; left > 0; left -= AT_ONCE) {
        worked.take((int) Math.min(left, AT_ONCE));
      }
    }
  }

  /** A worker. It looks into nothing: all others would wait for it. */
  private final class Worker extends LinePair implements Player {
    private final int worker;
    private final Part part;
    private boolean isOver;

    Worker(int worker) {
      this.worker = worker;
      part = parts[worker];
    }

    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      samples.othersWait(true);
      if (isOver) {
        return 0;
      }
      if (barrier instanceof Pool pool) {
        isOver = true;
        return pool.serve(samples);
      }
      if (!hasBegun()) {
        return 0;
      }
      int done = attend(barrier, task.count(), samples);
      isOver = done < task.count();
      return done;
    }

    private int attend(Barrier of, int count, Samples samples) throws InterruptedException {
      Part mine = part;
      for (int done = 0; done < count; done++) {
        long round = mine.taken + 1;
        of.await(worker, round);
        long readings = mine.play(round);
        if (readings < 0) {
          return done;
        }
        samples.readClock((int) readings);
        of.arrive(worker, round);
      }
      return count;
    }

    /** Nobody comes to a barrier before all threads are there: waits for the first round. */
    private boolean hasBegun() {
      while (Words.getOpaque(begun) == 0) {
        if (BarrierStage.this.isOver(1)) {
          return false;
        }
        Native.sleep(NAP_NS);
      }
      return true;
    }

    /** All that the coordinator begins. */
    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      return run(new Task(line, Integer.MAX_VALUE, 0, 0), samples);
    }
  }

  /** It begins every round, and reads the clock, and then what workers tell, in timed ones. */
  private final class Coordinator extends LinePair implements Player {
    private long round;
    private long tickNs;
    private boolean isOver;

    /** Another one is of another order. */
    private Task latest;

    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      Words.setOpaque(brief + EVERY, task.every());
      if (task != latest && barrier instanceof Pool pool && !isOver && !isStopped()) {
        pool.summon();
      }
      latest = task;
      long first = round;
      long until = round + task.count();
      while (round < until && !isOver) {
        if (isStopped()) {
          end();
        } else if (isTimed(round + 1)) {
          perform(samples);
        } else if (pauseNs == 0) {
          perform(barrier, untimedInARow(until, task.every()));
        } else {
          pauseBefore();
          perform(barrier, 1);
        }
      }
      checkWorkers();
      return (int) (round - first);
    }

    private int untimedInARow(long until, int every) {
      long count = until - round;
      if (every > 1) {
        count = Math.min(count, every + every / 2 - (round + 1 & every - 1) & every - 1);
      }
      return (int) Math.max(1, count);
    }

    /** Rounds without a clock. */
    private void perform(Barrier of, int count) throws InterruptedException {
      for (int left = count; left > 0 && !isStopped(); left--) {
        round++;
        Words.setOpaque(begun, round);
        of.release(round);
        if (!joins) {
          pause();
        }
        of.join(round);
      }
    }

    private void perform(Samples samples) throws InterruptedException {
      pauseBefore();
      samples.aboutToTime();
      round++;
      long from = System.nanoTime();
      Words.setOpaque(begun, round);
      barrier.release(round);
      long released = System.nanoTime();
      if (!joins) {
        pause();
      }
      barrier.join(round);
      long done = System.nanoTime();
      samples.add(from, released);
      if (!isStopped()) {
        reportWorkers(from, done, samples);
      }
      samples.readClock(3 + workers); // to read a worker's line takes about as long
    }

    /** Where the coordinator does not wait at once, all are done when the last of them is. */
    private void reportWorkers(long from, long joined, Samples samples) {
      long first = Long.MAX_VALUE;
      long last = 0;
      long done = joins ? joined : 0;
      for (Part part : parts) {
        long came = Words.getOpaque(part.own + CAME_NS);
        first = Math.min(first, came);
        last = Math.max(last, came);
        done = joins ? done : Math.max(done, Words.getOpaque(part.own + DONE_NS));
      }
      samples.number(FIRST, first - from);
      samples.number(LAST, last - from);
      samples.number(SPREAD, last - first);
      samples.number(DONE, done - from);
    }

    /** Whether each took part in every round, and in none before it was begun. */
    private void checkWorkers() throws InterruptedException {
      for (int worker = 0; worker < workers && !isOver && !isStopped(); worker++) {
        long early = Words.getOpaque(parts[worker].own + EARLY);
        long took = Words.getAcquire(parts[worker].own + ROUNDS);
        if (early > 0 || took != round) {
          end();
          throw early > 0
              ? SEQUENCE_BROKEN.failure(
                  "Worker %d ran in round %,d before the coordinator had begun it.",
                  worker + 1, early)
              : SEQUENCE_BROKEN.failure(
                  "When the coordinator knew that round %,d was done, worker %d had done %,d.",
                  round, worker + 1, took);
        }
      }
    }

    /** Lets all go for good: who waits sees that no round comes any more. */
    private void end() throws InterruptedException {
      if (!isOver) {
        isOver = true;
        Words.setVolatile(brief + NO_ROUND, round + 1);
        if (round > 0 || barrier instanceof Pool) {
          barrier.end(round + 1);
        }
      }
    }

    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      end();
      return 0;
    }

    /** Where nobody joins the pause comes before the workers are waited for. */
    private void pauseBefore() {
      if (joins) {
        pause();
      }
    }

    private void pause() {
      if (pauseNs > 0 && ticks) {
        long now = System.nanoTime();
        tickNs = Math.max(tickNs, now - pauseNs) + pauseNs;
        Native.sleep(Math.max(0, tickNs - now));
      } else if (pauseNs > 0) {
        Native.sleep(pauseNs);
      }
    }
  }
}
