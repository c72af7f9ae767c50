package threadping.probe.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.MS;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.mechanisms.signals.Signal;
import threadping.probe.message.Request;
import threadping.probe.message.Result;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenSignalTest {
  /** One in a monitor, until something is changed. */
  private static class Sound implements Signal {
    private long latest;

    @Override
    public synchronized void publish(long news) {
      latest = news;
      notify();
    }

    @Override
    public synchronized long await(long n) throws InterruptedException {
      while (latest < n) {
        wait();
      }
      return latest;
    }

    @Override
    public void stop() {
      publish(STOPPED);
    }

    @Override
    public synchronized long published() {
      return latest;
    }
  }

  private static Result run(Supplier<Signal> bells, long boundNs) {
    Request request = Requests.brief(Notify.EXPERIMENT, null, null);
    request.lines = 1;
    request.boundNs = boundNs;
    request.patienceNs = 100 * MS;
    request.outliers = null;
    NotifyLoops.Rounds rounds = new NotifyLoops.Rounds(64, 100_000, 10_000, 0);
    return Experiments.run(request, Notify.EXPERIMENT, new NotifyLoops(bells, 1, 2, rounds));
  }

  /** The sentence. One that reached its bound before it came to the fault gets more time. */
  private static String refusal(Failure.Code code, Supplier<Signal> bells) {
    return assertFails(
        code,
        () -> {
          for (long ms = 400; ms < 20_000; ms *= 4) {
            run(bells, ms * MS);
          }
        });
  }

  @Test
  void soundOnePasses() {
    Result result = run(Sound::new, 30_000 * MS);
    assertFalse(result.cut);
    Result.Held calls = result.counts.get("calls");
    assertEquals(calls.made, calls.found);
    assertTrue(result.counts.get("wake-ups").found > 0);
  }

  /** The waiter sleeps on although the notifier has left. */
  @Test
  void aWakeUpThatIsForgottenStalls() {
    String sentence =
        refusal(
            Failure.Code.STALLED,
            () ->
                new Sound() {
                  private int tellings;

                  @Override
                  public synchronized void publish(long news) {
                    if (++tellings < 50 || news >= STOPPED) {
                      super.publish(news);
                    }
                  }
                });
    assertEquals("No waiter wakes any more: a call was lost.", sentence);
  }

  /** What is told is one call behind from some time on. */
  @Test
  void aLostCallIsNoticed() {
    String sentence =
        refusal(
            Failure.Code.COUNT_WRONG,
            () ->
                new Sound() {
                  private static final long CALL = 1L << 24;

                  @Override
                  public synchronized void publish(long news) {
                    super.publish(news >= 50 * CALL && news < STOPPED ? news - CALL : news);
                  }
                });
    assertTrue(sentence.endsWith(" were found: 1 lost."), sentence);
  }
}
