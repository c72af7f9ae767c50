package threadping.probe.own;

import static threadping.probe.Failure.Code.STALLED;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import threadping.probe.Failure;

/** Calls of a user's code, each in a thread of its own, which does not keep the process alive. */
final class Bounded {
  private Bounded() {}

  /** What it gives. Throws Failure, also where it takes longer, and what it throws of errors. */
  static <T> T call(long ns, String what, Callable<T> code) {
    FutureTask<T> task = new FutureTask<>(code);
    Thread thread = new Thread(task, "own");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(ns, TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      throw STALLED.failure("%s had not returned after %d s.", what, ns / 1_000_000_000);
    } catch (ExecutionException error) {
      if (error.getCause() instanceof Error fatal) {
        throw fatal;
      }
      throw error.getCause() instanceof Failure failure
          ? failure
          : new IllegalStateException(error.getCause());
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
