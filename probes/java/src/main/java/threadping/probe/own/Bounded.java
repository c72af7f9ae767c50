package threadping.probe.own;

import static threadping.probe.Failure.Code.INTERNAL;
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

  /** What it gives. Throws Failure, also where it takes longer or throws; and what fills a heap. */
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
      Throwable cause = error.getCause();
      if (cause instanceof OutOfMemoryError full) {
        throw full;
      }
      throw cause instanceof Failure failure
          ? failure
          : INTERNAL.failure(cause, "%s threw %s.", what, cause);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
