package threadping.probe.experiments.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.HOUR;
import static threadping.probe.TrialRequest.MS;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.mechanisms.signals.Pairs;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenMechanismTest {
  /** Hands over by one word that counts, until something is changed. */
  private static class Sound implements Pairs {
    private final Lines lines = new Lines(1);

    @Override
    public long place(int side, int line) {
      return lines.first(line);
    }

    @Override
    public long await(long word, long expected) {
      long seen;
      while ((seen = Words.getAcquire(word)) < expected) {
        Thread.yield();
      }
      return seen;
    }

    @Override
    public void publish(long word, long expected) {
      Words.compareAndSet(word, expected, expected + 1);
    }

    @Override
    public void stop(int line) {
      Words.setVolatile(place(PING, line), threadping.Signal.STOPPED);
    }

    @Override
    public long handoffs(int line) {
      return Words.getAcquire(place(PING, line));
    }

    @Override
    public long memory() {
      return lines.start();
    }
  }

  private static TrialRequest request() {
    TrialRequest request = TrialRequest.bounded(SignalExperiment.EXPERIMENT);
    request.boundNs = 50 * MS;
    request.measureNs = HOUR;
    return request;
  }

  private static TrialRequest brief() {
    TrialRequest request = TrialRequest.brief(SignalExperiment.EXPERIMENT, null, null);
    request.lines = 1;
    return request;
  }

  private static TrialResult run(TrialRequest request, Pairs pairs) {
    return Experiments.run(request, SignalExperiment.EXPERIMENT, new SignalStage(pairs, 1));
  }

  private static String refusal(Failure.Code code, Supplier<Pairs> pairs) {
    TrialRequest request = request();
    return assertFails(code, request, () -> run(request, pairs.get()));
  }

  @Test
  void soundOnePasses() {
    assertFalse(run(brief(), new Sound()).cut());
  }

  /** At this turn the word becomes so much more, instead of 1. The number's parity is the side. */
  private static final class WrongStep extends Sound {
    private final long at;
    private final long step;

    WrongStep(long at, long step) {
      this.at = at;
      this.step = step;
    }

    @Override
    public void publish(long word, long expected) {
      if (expected == at) {
        Words.compareAndSet(word, at, at + step);
      } else {
        super.publish(word, expected);
      }
    }
  }

  /** Turns 0 and 40 are ping's, 3 and 41 pong's; the first ones are taken in the first visit. */
  @ParameterizedTest
  @CsvSource({"0, 0", "41, 0", "3, -1", "40, -1"})
  void aLostSignalOrAnOldOneThatComesBackStalls(long turn, long step) {
    assertEquals(
        "No handoff arrives any more: a signal was lost.",
        refusal(Failure.Code.STALLED, () -> new WrongStep(turn, step)));
  }

  /** Doubled; overtaken by the side's next; written in halves, the upper one another write's. */
  @ParameterizedTest
  @CsvSource({"3, 2", "40, 2", "41, 3", "40, 1099511627777"})
  void aDoubledOrReorderedOrTornHandoffBreaksTheSequence(long turn, long step) {
    TrialRequest request = request();
    request.patienceNs = 2_000 * MS; // on a busy machine the other side may come late to see it
    String sentence =
        assertFails(
            Failure.Code.SEQUENCE_BROKEN, request, () -> run(request, new WrongStep(turn, step)));
    assertTrue(
        sentence.matches("Handoff \\d+ was due, but \\d+ was there: one was lost or doubled\\."),
        sentence);
  }
}
