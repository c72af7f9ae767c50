package threadping.probe.experiments.wakeup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.MS;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.Signal;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.engine.Experiment;
import threadping.probe.mechanisms.signals.Signals;

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

  private static TrialRequest request() {
    TrialRequest request = TrialRequest.bounded(WakeupExperiment.EXPERIMENT);
    request.params = Map.of("pause", 100L);
    return request;
  }

  private static Experiment of(Supplier<Signal> signals) {
    Signals.Blocking madeUp =
        new Signals.Blocking(
            "made-up", false, false, List.of(), (params, word, first) -> signals.get());
    return WakeupExperiment.EXPERIMENT.with(WakeupExperiment.mechanism(madeUp));
  }

  private static String refusal(Failure.Code code, Supplier<Signal> signals) {
    TrialRequest request = request();
    return assertFails(code, request, () -> Experiments.run(request, of(signals)));
  }

  @Test
  void soundOnePasses() {
    TrialRequest request = request();
    request.boundNs = 30_000 * MS;
    request.mechanism = "made-up";
    TrialResult result =
        Experiments.until(woken -> woken.counts().containsKey("wake-ups"), request, of(Sound::new));
    assertFalse(result.cut());
    TrialResult.Held calls = result.counts().get("calls");
    assertEquals(calls.made(), calls.found());
    assertTrue(result.counts().get("wake-ups").found() > 0);
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
                    if (++tellings < 8 || news >= STOPPED) {
                      super.publish(news);
                    }
                  }
                });
    assertEquals("No waiter wakes any more: a call was lost.", sentence);
  }

  /** What is reported is one call behind from some time on. */
  @Test
  void aLostCallIsNoticed() {
    String sentence =
        refusal(
            Failure.Code.COUNT_WRONG,
            () ->
                new Sound() {
                  @Override
                  public synchronized void publish(long news) {
                    super.publish(news >= 8 && news < STOPPED ? news - 1 : news);
                  }
                });
    assertTrue(sentence.endsWith(" were found: 1 lost."), sentence);
  }
}
