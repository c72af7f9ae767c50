package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.experiments.lock.Lock;
import threadping.probe.platform.Threads;
import threadping.probe.toy.Toy;

/** What the crew does when its threads do not come, fail, fall silent or do not listen. */
@ParameterizedClass
@EnumSource(Request.Unit.class)
@Timeout(60)
class WatchingTest {
  private final Experiment toy;

  WatchingTest(Request.Unit windows) {
    toy = Toy.experiment(windows);
  }

  private Result run(Request request, Stage stage) {
    return Experiments.run(request, toy, stage);
  }

  private static void sleep(long ms) {
    LockSupport.parkNanos(ms * MS);
  }

  /** Every loop is a call of {@code perform}. */
  private abstract static class Alike extends Acting {
    /** Returns how many operations were completed. */
    abstract int perform(int thread);

    @Override
    public int run(int thread, Task task, Samples samples) {
      return perform(thread);
    }
  }

  /** Patience is for threads without a sign of life: it would last an hour here. */
  @Test
  void isNotPatientWithThreadsThatAreAlive() {
    AtomicInteger signs = new AtomicInteger();
    Stage alive =
        new Alike() {
          private volatile boolean isStopped;

          @Override
          public void stop(int line) {
            isStopped = true;
          }

          @Override
          public long progress(int line) {
            return signs.get();
          }

          @Override
          int perform(int thread) {
            while (!isStopped) {
              sleep(1);
              signs.incrementAndGet();
            }
            return 0;
          }
        };
    assertTrue(run(Requests.endless(toy), alive).cut);
  }

  @Test
  void isPatientWithThreadsThatAreSlow() {
    Stage slow =
        new Alike() {
          @Override
          int perform(int thread) {
            sleep(100);
            return 1;
          }
        };
    assertTrue(run(Requests.endless(toy), slow).cut);
  }

  /** Waits without a sign of life until its last line was stopped for the fourth time. */
  private static class Silent extends Alike {
    private final AtomicInteger stops = new AtomicInteger();

    @Override
    public void stop(int line) {
      stops.addAndGet(line == 3 ? 1 : 0);
    }

    @Override
    int perform(int thread) {
      while (stops.get() < 4) {
        sleep(1);
      }
      return 0;
    }
  }

  @Test
  void stopsEveryLineAgainAndAgainAndSaysThatTheyStalled() {
    Silent silent = new Silent();
    assertStalls(silent);
    assertTrue(silent.stops.get() >= 4);
  }

  private void assertStalls(Stage stage) {
    Request request = Requests.endless(toy);
    request.patienceNs = 50 * MS;
    assertEquals(
        "Nobody adds any more.",
        assertFails(Failure.Code.STALLED, request, () -> run(request, stage)));
  }

  /** Does not listen to stop() either. */
  @Test
  void givesUpThreadsThatDoNotListen() {
    AtomicBoolean testIsOver = new AtomicBoolean();
    Stage deaf =
        new Alike() {
          @Override
          int perform(int thread) {
            while (!testIsOver.get()) {
              sleep(10);
            }
            return 0;
          }
        };
    assertStalls(deaf);
    testIsOver.set(true);
  }

  /** One thread fails while the other waits for it until it is stopped. */
  private static Stage failing(int failed, RuntimeException error) {
    return new Silent() {
      @Override
      int perform(int thread) {
        if (thread == failed) {
          throw error;
        }
        return super.perform(thread);
      }
    };
  }

  @Test
  void tellsWhyAThreadFailed() {
    Request request = Requests.endless(toy);
    request.boundNs = HOUR; // nobody waits for it
    for (int thread = 0; thread < 2; thread++) {
      Stage broken = failing(thread, Failure.Code.SEQUENCE_BROKEN.failure("As seen."));
      assertEquals(
          "As seen.", assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(request, broken)));
      RuntimeException bug = new IllegalMonitorStateException("on purpose");
      Stage throwing = failing(thread, bug);
      assertSame(
          bug, assertThrows(IllegalStateException.class, () -> run(request, throwing)).getCause());
    }
  }

  /** Threads of which the system gives so many only. */
  private static final class FewThreads implements Threads.Maker {
    private final AtomicInteger left;
    final List<Thread> made = new ArrayList<>();

    FewThreads(int most) {
      left = new AtomicInteger(most);
    }

    @Override
    public Thread make(boolean virtual, String name, Runnable turns) {
      Thread thread =
          new Thread(turns, name) {
            @Override
            public synchronized void start() {
              if (left.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              super.start();
            }
          };
      thread.setDaemon(true);
      made.add(thread);
      return thread;
    }
  }

  private static String refusal(Experiment experiment, Request request, FewThreads threads) {
    Mechanism first = experiment.mechanisms().get(0);
    return assertFails(
        Failure.Code.UNSUPPORTED, () -> Trial.run(request, experiment, first, threads));
  }

  @Test
  void startsAllOrNone() throws Exception {
    int all = toy.windows() == Request.Unit.NS ? 3 : 2; // with the one that leads
    for (int allowed = 0; allowed < all; allowed++) {
      FewThreads threads = new FewThreads(allowed);
      String sentence = refusal(toy, Requests.endless(toy), threads);
      assertTrue(sentence.startsWith("Only " + allowed + " of 2 threads could be"), sentence);
      for (int started = 0; started < allowed; started++) {
        threads.made.get(started).join();
      }
    }
  }

  @Test
  void saysHowManyThreadsTheSystemAllowed() {
    assertEquals(
        "Only 5 of 1,200 threads could be started (unable to create native thread). The system's"
            + " limit on threads is in ulimit -u, the cgroup's pids.max or kernel.threads-max:"
            + " ask for fewer with --threads.",
        refusal(
            Lock.EXPERIMENT,
            Requests.brief(Lock.EXPERIMENT, new Integer[1200]),
            new FewThreads(5)));
  }

  /** On a busy machine a thread is let onto its CPU late: the first visit tells nothing then. */
  @Test
  void measuresAsLongAsItWasAskedToWhenAThreadComesLate() {
    Stage late =
        new Acting() {
          private boolean came;

          @Override
          public int run(int thread, Task task, Samples samples) {
            if (thread == 1 && !came) {
              came = true;
              sleep(50);
            }
            return super.run(thread, task, samples);
          }
        };
    Request request = Requests.brief(toy, null, null);
    Requests.warmUp(request, 0, 1, 0);
    Result result = run(request, late);
    assertTrue(!result.cut && result.measuredNs >= request.measureNs);
  }
}
