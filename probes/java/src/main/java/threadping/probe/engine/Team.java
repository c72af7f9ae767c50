package threadping.probe.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import threadping.probe.Failure;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Threads;

/**
 * The threads of one trial, and the calling one, which watches over them: it starts them, sleeps
 * until all have ended, somebody has failed or the bound has passed, and then stops them. It knows
 * no experiment.
 */
final class Team {
  private static final long BETWEEN_LOOKS_NS = 5_000_000;
  private static final long BETWEEN_STOPS_NS = 1_000_000;
  private static final long MOST_BETWEEN_STOPS_NS = 64_000_000;
  private static final long TO_END_ALONE_NS = 250_000_000;

  private final Scene scene;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Lead lead;
  private final CountDownLatch running;

  /** Nobody runs any more, or somebody has failed. */
  private final CountDownLatch over = new CountDownLatch(1);

  /** Of threads that are made so. */
  Team(Scene scene, Threads.Maker maker) {
    this.scene = scene;
    boolean virtual = scene.mechanism.virtual();
    boolean isLedFromOutside = scene.experiment.windows() == Request.Unit.NS;
    for (int index = 0; index < scene.boards.length; index++) {
      int room = isLedFromOutside || index > 0 ? 0 : FirstThread.room(scene);
      workers.add(new Worker(index, scene, new Meter(virtual, index), room));
    }
    this.lead = isLedFromOutside ? new Outsider(scene) : new FirstThread(scene, workers.get(0));
    for (int index = 0; index < workers.size(); index++) {
      Worker worker = workers.get(index);
      Life life = worker == lead.self ? this::lead : () -> live(worker);
      threads.add(maker.make(virtual, scene.role(index).name(), () -> survive(life)));
    }
    if (isLedFromOutside) {
      // Not one like the others: virtual ones that all work would leave it no carrier.
      threads.add(maker.make(false, "lead", () -> survive(this::lead)));
    }
    this.running = new CountDownLatch(threads.size());
  }

  /** The whole trial. Throws what went wrong first; threads may remain then. */
  void run() {
    start();
    watch();
    Throwable failure = scene.failure();
    if (failure instanceof Failure told) {
      throw told;
    }
    if (failure != null) {
      throw new IllegalStateException("A measuring thread failed: " + failure, failure);
    }
    if (scene.result.cut && !scene.isStream) {
      // Who was cut short went on until it noticed.
      scene.result.warmUpOps = scene.ops() - scene.result.measuredOps;
    }
    if (scene.result.measuredNs > 0) {
      tellSamples();
    }
    scene.result.hasEvidence = scene.request.outliers != null;
  }

  /** What the workers have sampled while they measured, once all have ended. */
  private void tellSamples() {
    Map<String, Histogram> all = new TreeMap<>();
    Map<String, String> units = new TreeMap<>();
    for (int thread = 0; thread < workers.size(); thread++) {
      Worker worker = workers.get(thread);
      Role role = scene.role(thread);
      units.put(scene.timed(thread), "ns");
      histogram(all, scene.timed(thread)).add(worker.histogram);
      for (int index = 0; index < worker.numbers.length; index++) {
        Role.NumberInfo number = role.numbers().get(index);
        units.put(number.name(), number.unit());
        histogram(all, number.name()).add(worker.numbers[index]);
      }
      for (int index = 0; index < role.tallies().size(); index++) {
        Result.Held held = new Result.Held(worker.made[index], worker.found[index], false);
        scene.result.counts.merge(role.tallies().get(index), held, Result.Held::plus);
      }
    }
    all.forEach(
        (name, histogram) ->
            scene.result.distributions.put(name, histogram.distribution(units.get(name))));
  }

  private static Histogram histogram(Map<String, Histogram> all, String name) {
    return all.computeIfAbsent(name, none -> new Histogram());
  }

  /** Starts all of them, or none. */
  private void start() {
    scene.deadline = System.nanoTime() + scene.request.boundNs;
    for (int started = 0; started < threads.size(); started++) {
      try {
        threads.get(started).start();
      } catch (OutOfMemoryError refusal) {
        scene.fail(tooMany(Math.min(started, workers.size()), refusal));
        scene.orders.leave();
        for (int never = started; never < threads.size(); never++) {
          running.countDown();
        }
        over.countDown();
        return;
      }
    }
  }

  private Failure tooMany(int started, OutOfMemoryError refusal) {
    return Failure.Code.UNSUPPORTED.failure(
        refusal,
        "Only %,d of %,d threads could be started (%s). The system's limit on threads is in"
            + " ulimit -u, the cgroup's pids.max or kernel.threads-max: ask for fewer with"
            + " --threads.",
        started,
        workers.size(),
        refusal.getMessage());
  }

  /** One measuring thread, from its pin to its end. */
  private static void live(Worker worker) throws InterruptedException {
    worker.stand();
    worker.obey();
  }

  /** The same of whoever leads: nobody waits for orders that it cannot give any more. */
  private void lead() throws InterruptedException {
    try {
      if (lead.self != null) {
        lead.self.stand();
      }
      scene.result.cut = !lead.run();
    } finally {
      scene.orders.leave();
    }
  }

  private interface Life {
    void live() throws InterruptedException;
  }

  /** What ends it before its time is told, and its end in any case. */
  private void survive(Life life) {
    try {
      life.live();
    } catch (Throwable error) {
      scene.fail(error);
    } finally {
      running.countDown();
      if (running.getCount() == 0 || scene.failure() != null) {
        over.countDown();
      }
    }
  }

  /** Sleeps until it is so, since who wakes takes a CPU; false if it was not within this time. */
  private static boolean await(CountDownLatch so, long ns) {
    try {
      return so.await(ns, TimeUnit.NANOSECONDS);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private Failure stalled() {
    return Failure.Code.STALLED.failure(scene.experiment.stalled());
  }

  /**
   * Sleeps until all have ended. Where the bound passes first it stops them at the next sign of
   * life, and without one for as long as it is patient they have stalled. Threads that are alive
   * have a moment to end by themselves: stopped, they sleep no more, and hundreds that spin keep
   * the lead from its CPU. Those that show no sign of life any more are given up.
   */
  private void watch() {
    boolean isOver = await(over, scene.deadline - System.nanoTime());
    if (scene.isStream && !isOver) {
      isOver = awaitDrained();
    }
    long before = progress();
    long patientUntil = System.nanoTime() + scene.request.patienceNs;
    while (!isOver && progress() == before) {
      isOver = await(over, BETWEEN_LOOKS_NS);
      if (System.nanoTime() > patientUntil) {
        scene.fail(stalled());
        isOver = true;
      }
    }
    if (scene.failure() == null && await(running, TO_END_ALONE_NS)) {
      return;
    }
    long last = progress();
    long moved = System.nanoTime();
    // Twice as long each time: to stop hundreds takes a CPU that they need.
    for (long betweenNs = BETWEEN_STOPS_NS;
        !await(running, betweenNs);
        betweenNs = Math.min(2 * betweenNs, MOST_BETWEEN_STOPS_NS)) {
      for (int line = 0; line < scene.request.lines; line++) {
        scene.stage.stop(line);
      }
      long now = progress();
      if (now != last) {
        last = now;
        moved = System.nanoTime();
      } else if (System.nanoTime() - moved > scene.request.patienceNs) {
        scene.fail(stalled());
        return;
      }
    }
  }

  /**
   * A stream has been told to end, and its senders do so by themselves: they are no sign of life of
   * those who receive. True if it ended, or stalled; false if it takes longer than anybody is
   * patient.
   */
  private boolean awaitDrained() {
    long last = progress();
    long moved = System.nanoTime();
    long untilNs = moved + scene.request.patienceNs;
    boolean isOver = false;
    while (!isOver && System.nanoTime() < untilNs) {
      isOver = await(over, BETWEEN_LOOKS_NS);
      long now = progress();
      if (now != last) {
        last = now;
        moved = System.nanoTime();
      } else if (!isOver && System.nanoTime() - moved > scene.request.patienceNs / 2) {
        scene.fail(stalled());
        isOver = true;
      }
    }
    return isOver;
  }

  private long progress() {
    long sum = 0;
    for (long ops : scene.opsOfEach()) {
      sum += ops;
    }
    for (int line = 0; line < scene.request.lines; line++) {
      sum += scene.stage.progress(line);
    }
    return sum;
  }
}
