package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertBreaksDown;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.HOUR;
import static threadping.probe.TrialRequest.MS;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.toy.Toy;

/** What a trial learns of players in Java that fail, fall silent or live on. */
@ParameterizedClass
@EnumSource(Experiment.Unit.class)
@Timeout(60)
class WatchingTest {
  private final Experiment toy;

  WatchingTest(Experiment.Unit windows) {
    toy = Toy.experiment(windows);
  }

  private TrialResult run(TrialRequest request, Stage stage) {
    return Experiments.run(request, toy, stage);
  }

  /** Patience is for threads without a sign of life: it would last an hour here. */
  @Test
  void isNotPatientWithThreadsThatAreAlive() {
    AtomicInteger signs = new AtomicInteger();
    Stage alive =
        new Acting() {
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
          public int run(int thread, Task task, Samples samples) {
            while (!isStopped) {
              LockSupport.parkNanos(MS);
              signs.incrementAndGet();
            }
            return 0;
          }
        };
    assertTrue(run(TrialRequest.endless(toy), alive).cut());
  }

  /** Waits without a sign of life until its last line was stopped for the fourth time. */
  private static class Silent extends Acting {
    final AtomicInteger stops = new AtomicInteger();

    @Override
    public void stop(int line) {
      stops.addAndGet(line == 3 ? 1 : 0);
    }

    @Override
    public int run(int thread, Task task, Samples samples) {
      while (stops.get() < 4) {
        LockSupport.parkNanos(MS);
      }
      return 0;
    }
  }

  @Test
  void stopsEveryLineAgainAndAgainAndSaysThatTheyStalled() {
    TrialRequest request = TrialRequest.endless(toy);
    request.patienceNs = 50 * MS;
    assertEquals(
        "Nobody adds any more.",
        assertFails(Failure.Code.STALLED, request, () -> run(request, new Silent())));
  }

  /** One thread fails while the other waits for it until it is stopped. */
  private static Stage failing(int failed, RuntimeException error) {
    return new Silent() {
      @Override
      public int run(int thread, Task task, Samples samples) {
        if (thread == failed) {
          throw error;
        }
        return super.run(thread, task, samples);
      }
    };
  }

  @Test
  void reportsWhyAThreadFailed() {
    TrialRequest request = TrialRequest.endless(toy);
    request.boundNs = HOUR; // nobody waits for it
    for (int thread = 0; thread < 2; thread++) {
      Stage broken = failing(thread, Failure.Code.SEQUENCE_BROKEN.failure("As seen."));
      assertEquals(
          "As seen.", assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(request, broken)));
      Stage throwing = failing(thread, new IllegalMonitorStateException("on purpose"));
      assertBreaksDown("IllegalMonitorStateException: on purpose", () -> run(request, throwing));
    }
  }

  /** Outside of any thread that measures. */
  @Test
  void reportsWhyAStageFailed() {
    Stage uncounted =
        new Acting() {
          @Override
          public Map<String, Held> counts(long[] ops) {
            throw Failure.Code.SEQUENCE_BROKEN.failure("Nobody can count this.");
          }
        };
    TrialRequest request = TrialRequest.brief(toy, null, null);
    assertEquals(
        "Nobody can count this.",
        assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(request, uncounted)));
  }

  /** Its threads are stopped all the same. */
  @Test
  void reportsWhyAStageFailedThatWasStoppedOrAskedForASign() {
    Stage unstopped =
        new Silent() {
          @Override
          public void stop(int line) {
            super.stop(line);
            throw Failure.Code.SEQUENCE_BROKEN.failure("Nothing to stop.");
          }
        };
    class Invisible extends Silent {
      @Override
      public long progress(int line) {
        throw new IllegalStateException("nothing to see");
      }
    }
    TrialRequest request = TrialRequest.endless(toy);
    String internal =
        assertFails(Failure.Code.INTERNAL, request, () -> run(request, new Invisible()));
    assertTrue(internal.contains("nothing to see"), internal);
    request.patienceNs = 50 * MS;
    assertEquals(
        "Nothing to stop.",
        assertFails(Failure.Code.SEQUENCE_BROKEN, request, () -> run(request, unstopped)));
  }
}
