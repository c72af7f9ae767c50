package threadping.probe.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import threadping.probe.platform.Clock;
import threadping.probe.platform.Json;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.SafepointLog;
import threadping.probe.platform.Threads;

/**
 * One trial, as the engine sees it, which is C++: its stage and its workers. Each method here is a
 * callback of threadping.h (src/main/native/trial.cpp) and what is said of it there holds.
 */
public final class Trial {
  private final Experiment experiment;
  private Mechanism mechanism;
  private Stage stage;
  private Worker[] workers;

  private Trial(Experiment experiment) {
    this.experiment = experiment;
  }

  /**
   * Measures what a request about this experiment asks for; both messages are the contract's.
   * Throws Failure for what the contract calls an error; threads may remain then, and the process
   * should end soon.
   */
  public static byte[] run(byte[] request, Experiment experiment) {
    return Native.trial(request, Json.of(experiment), new Trial(experiment));
  }

  /**
   * The cells' memory outside the heap is located where the request wants it: what a thread touches
   * first is located on its node. The cells themselves are made by this thread, which may run
   * anywhere: java.util.concurrent asks how many CPUs there are, and a pinned thread sees only its
   * own (an Exchanger that knows of one CPU never spins: 31 us a handoff instead of 0.24).
   */
  void make(String name, String params, int lines, int threads, long seed, int[] home)
      throws InterruptedException {
    for (Mechanism each : experiment.mechanisms()) {
      mechanism = each.name().equals(name) ? each : mechanism;
    }
    Params given = Params.of(mechanism, Json.read(params));
    boolean blocking = mechanism.blocking();
    stage = mechanism.maker().stage(new Mechanism.Setup(given, lines, threads, seed, blocking));
    workers = new Worker[threads];
    FutureTask<Void> touch =
        new FutureTask<>(
            () -> {
              touch(home);
              return null;
            });
    Threads.make(false, "home", touch).start();
    try {
      touch.get();
    } catch (ExecutionException error) {
      if (error.getCause() instanceof Error full) {
        throw full;
      }
      throw (RuntimeException) error.getCause();
    }
  }

  private static void touch(int[] home) {
    if (home != null) {
      Native.pinThread(home);
    }
    Lines.touch();
  }

  /** Its threads have ended: a heap that they filled has space again to say so. */
  void free() {
    stage = null;
    workers = null;
  }

  int roleOf(int thread) {
    return stage.roleOf(thread);
  }

  boolean comparesClocks(int one, int other) {
    return stage.comparesClocks(one, other);
  }

  void stop(int line) {
    stage.stop(line);
  }

  long progress(int line) {
    return stage.progress(line);
  }

  void count(long[] ops, long into) {
    for (Map.Entry<String, Held> each : stage.counts(ops).entrySet()) {
      Held held = each.getValue();
      Native.count(into, each.getKey(), held.made(), held.found(), held.exact());
    }
  }

  long memory() {
    return stage.memory();
  }

  /** Nothing may fail once the thread runs. Throws OutOfMemoryError where the system refuses it. */
  void start(long words) {
    Worker worker = new Worker(words, stage, experiment.roles());
    workers[worker.index] = worker;
    worker.thread.start();
  }

  void join(int thread) throws InterruptedException {
    workers[thread].thread.join();
  }

  /** The first one's. */
  void visit() {
    workers[0].visit();
  }

  double clockNs() {
    return Clock.costNs();
  }

  long compileMs() {
    return Jvm.compileMs();
  }

  long collections() {
    return Jvm.collections();
  }

  /** False where the virtual machine was not asked for its log. */
  boolean pauses(long into) {
    List<SafepointLog.Pause> pauses = SafepointLog.read();
    if (pauses == null) {
      return false;
    }
    for (SafepointLog.Pause pause : pauses) {
      Native.pause(into, pause.atNs(), pause.ns(), pause.name());
    }
    return true;
  }
}
