package threadping.probe.crew;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import threadping.probe.Failure;
import threadping.probe.message.Evidence;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Threads;

/**
 * The threads of one trial, and the calling one, which watches over them: it starts them, sleeps
 * until all have ended, somebody has failed or the bound has passed, and then stops them. It knows
 * no experiment.
 */
final class Crew {
  private static final long BETWEEN_LOOKS_NS = 5_000_000;
  private static final long BETWEEN_STOPS_NS = 1_000_000;

  private final Experiment experiment;
  private final Mechanism mechanism;
  private final Loops loops;
  private final Scene scene;
  private final List<Member> members = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Lead lead;
  private final CountDownLatch running;

  /** Nobody runs any more, or somebody has failed. */
  private final CountDownLatch over = new CountDownLatch(1);

  /** Of threads that are made so. */
  Crew(Experiment experiment, Mechanism mechanism, Scene scene, Threads.Maker maker) {
    this.experiment = experiment;
    this.mechanism = mechanism;
    this.scene = scene;
    scene.isVirtual = mechanism.virtual;
    this.loops = scene.loops();
    boolean isLedFromOutside = experiment.windows == Request.Unit.NS;
    for (int index = 0; index < scene.boards.length; index++) {
      Meter meter = new Meter(mechanism.virtual, index);
      int thread = index;
      members.add(scene.fillers.apart(() -> new Member(thread, scene, meter)));
    }
    this.lead = isLedFromOutside ? new Outsider(scene) : new FirstThread(scene, members.get(0));
    for (Member member : members) {
      Life life = member == lead.self ? this::lead : () -> live(member);
      threads.add(
          maker.make(
              mechanism.virtual, experiment.role(loops, threads.size()), () -> survive(life)));
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
    if (failure instanceof Failure) {
      throw (Failure) failure;
    }
    if (failure != null) {
      throw new IllegalStateException("A measuring thread failed: " + failure, failure);
    }
    scene.result.warmUpOps = scene.ops() - scene.result.measuredOps;
  }

  /**
   * What the members have timed while they measured, by what it is, and what the loops have
   * recorded besides; once all have ended.
   */
  Map<String, Result.Distribution> distributions() {
    Map<String, Recorder> all = new TreeMap<>();
    mechanism.timed.forEach(name -> all.put(name, new Recorder()));
    for (int thread = 0; hasMeasured() && thread < members.size(); thread++) {
      all.get(timed(thread)).add(members.get(thread).recorder());
    }
    Map<String, Result.Distribution> distributions = new TreeMap<>(loops.distributions());
    all.forEach((name, recorder) -> distributions.put(name, recorder.distribution()));
    return distributions;
  }

  private String timed(int thread) {
    return experiment.timed(mechanism, loops, thread);
  }

  private boolean hasMeasured() {
    return scene.result.measuredNs > 0;
  }

  /** What took long meanwhile, and what was seen around it; null if nobody was to look. */
  Evidence evidence() {
    if (scene.request.outliers == null) {
      return null;
    }
    Evidence evidence = new Evidence();
    for (int thread = 0; hasMeasured() && thread < members.size(); thread++) {
      Outliers outliers = members.get(thread).outliers();
      outliers.tell(evidence, timed(thread), thread);
      evidence.lookNs += outliers.lookNs() / members.size();
    }
    return evidence;
  }

  /** Starts all of them, or none. */
  private void start() {
    for (int started = 0; started < threads.size(); started++) {
      try {
        threads.get(started).start();
      } catch (OutOfMemoryError refusal) {
        scene.fail(tooMany(Math.min(started, members.size()), refusal));
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
        members.size(),
        refusal.getMessage());
  }

  /** One measuring thread, from its pin to its end. */
  private static void live(Member member) throws InterruptedException {
    member.stand();
    member.obey();
  }

  /** The same of whoever leads: nobody waits for orders that it cannot give any more. */
  private void lead() {
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
    return Failure.Code.STALLED.failure(experiment.stalled);
  }

  /**
   * Sleeps until all have ended. Where the bound passes first it stops them at the next sign of
   * life, and without one for as long as it is patient they have stalled. Threads that are still
   * alive go on until they notice; those that show no sign of it any more are given up.
   */
  private void watch() {
    boolean isOver = await(over, scene.deadline - System.nanoTime());
    long before = progress();
    long patientUntil = System.nanoTime() + scene.request.patienceNs;
    while (!isOver && progress() == before) {
      isOver = await(over, BETWEEN_LOOKS_NS);
      if (System.nanoTime() > patientUntil) {
        scene.fail(stalled());
        isOver = true;
      }
    }
    long last = progress();
    long moved = System.nanoTime();
    while (!await(running, BETWEEN_STOPS_NS)) {
      for (int line = 0; line < scene.request.lines; line++) {
        loops.stop(line);
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

  private long progress() {
    long sum = scene.ops();
    for (int line = 0; line < scene.request.lines; line++) {
      sum += loops.progress(line);
    }
    return sum;
  }
}
