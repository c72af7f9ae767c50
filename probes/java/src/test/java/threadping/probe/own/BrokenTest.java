package threadping.probe.own;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.engine.Experiment;
import threadping.probe.experiments.load.LoadExperiment;
import threadping.probe.experiments.queue.QueueExperiment;
import threadping.probe.platform.Native;

/** Classes that are broken on purpose are refused, each in a sentence that says what was seen. */
@Timeout(60)
class BrokenTest {
  /** How long nothing moves before a check says that it hangs. */
  private static final long PATIENCE_NS = 400_000_000;

  private static OwnMechanism own(String name) throws Exception {
    return new OwnMechanism(
        new OwnClass(Class.forName(Wrong.class.getName() + "$" + name)), "made-up");
  }

  @AfterEach
  void end() {
    Wrong.end();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SoundQueue", "SoundSignal"})
  void soundOnesPass(String name) throws Exception {
    assertTrue(own(name).conformance().check().contains("$" + name + ": "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Losing | sequence-broken | .*Losing: Message 99 of [\\d,]+ never came: it was lost\\.",
        "Doubling | sequence-broken | .*Doubling: Message 99 came twice: it was doubled\\.",
        "Reordering | sequence-broken |"
            + " .*Reordering: Message 99 came after 100: it was overtaken\\.",
        "Torn | sequence-broken | .*Torn: Number 1,\\d+,.* never put in: it was torn\\.",
        "StopDoesNotEndATake | stalled | stop\\(\\) does not end a wait at an empty queue:"
            + " StopDoesNotEndATake\\.take had not returned after 0\\.4 s\\.",
        "StopDoesNotEndAnOffer | stalled | stop\\(\\) does not end a wait at a full queue:"
            + " StopDoesNotEndAnOffer\\.offer had not returned after 0\\.4 s\\.",
        "ForgettingToWake | stalled | ForgettingToWake\\.take waits on, for 0\\.4 s so far, though"
            + " message [\\d,]+ was put in: a wake-up was lost, or it hangs\\.",
        "HangingQueue | stalled | HangingQueue\\.offer had not returned after 0\\.4 s: it hangs\\.",
        "ThrowingStop | internal | ThrowingStop\\.stop threw java.lang.IllegalStateException: not today\\.",
        "ThrowingClear | internal |"
            + " ThrowingClear\\.clear threw java.lang.IllegalStateException: not today\\.",
        "HangingStop | stalled | HangingStop\\.stop had not returned after 0\\.4 s: it hangs\\.",
        "HangingByDefault | stalled | stop\\(\\) does not end a wait at an empty queue:"
            + " HangingByDefault\\.take had not returned after 0\\.4 s\\.",
        "Throwing | internal | Throwing\\.poll threw java.lang.IllegalStateException: not today\\.",
        "Boundless | sequence-broken | .*127 messages fitted into one with a capacity of 64\\."
            + " One without a bound has a constructor without parameters\\.",
        "Devouring | internal | .*Devouring(\\.offer)? threw java.lang.OutOfMemoryError: .*",
        "Early | sequence-broken | .*await\\([\\d,]+\\) gave [\\d,]+: it returned before that was published\\.",
        "Inventing | sequence-broken | .*await\\([\\d,]+\\) gave [\\d,]+, which was never published:.*",
        "Sleepy | stalled | Sleepy\\.await waits on, for 0\\.4 s so far, though [\\d,]+ was published:"
            + " a wake-up was lost, or it hangs\\.",
        "DeafToStop | stalled | stop\\(\\) does not end a wait: DeafToStop.await had not returned"
            + " after 0\\.4 s\\.",
        "Forgetful | sequence-broken | .*published\\(\\) is 100 when .* was published last\\.",
        "ThrowingSignal | internal |"
            + " ThrowingSignal\\.published threw java.lang.IllegalStateException: not today\\.",
        "HangingSignal | stalled | HangingSignal.publish had not returned after 0.4 s: it hangs\\.",
        "LettingTwoIn | count-wrong | .*LettingTwoIn let two threads in at once\\.",
        "Keeping | stalled | Keeping\\.acquire had not returned after 0\\.4 s: a release was lost, or"
            + " it deadlocks\\.",
        "ThrowingLock | internal | ThrowingLock\\.unlock threw"
            + " java.lang.IllegalMonitorStateException: whose is it\\?\\."
      })
  void isRefused(String name, String code, String sentence) throws Exception {
    Conformance conformance = own(name).conformance();
    Failure failure = assertThrows(Failure.class, () -> conformance.check(PATIENCE_NS));
    assertTrue(failure.getMessage().matches(sentence), failure.getMessage());
    assertEquals(code, failure.code.word());
  }

  /** What the checks do not meet, a trial does, and it is that trial's failure. */
  @ParameterizedTest
  @CsvSource({
    "Losing, SEQUENCE_BROKEN",
    "Doubling, SEQUENCE_BROKEN",
    "Reordering, SEQUENCE_BROKEN",
    "Throwing, INTERNAL",
    "Devouring, UNSUPPORTED"
  })
  void comesOutOfNoTrialWithAFigure(String name, Failure.Code code) throws Exception {
    OwnMechanism own = own(name);
    for (Experiment whole : List.of(QueueExperiment.EXPERIMENT, LoadExperiment.EXPERIMENT)) {
      Experiment alone = own.in(whole);
      TrialRequest request = TrialRequest.bounded(alone);
      assertFails(code, request, () -> Experiments.run(request, alone));
    }
  }

  /** Nor from a hand-written baseline, which looks at each message too. */
  @Test
  void comesOutOfNoBaselineWithAFigure() throws Exception {
    int[] cpus = Native.allowedCpus();
    Bare bare = own("Reordering").bare(cpus[0], cpus[cpus.length - 1]);
    String sentence =
        assertFails(Failure.Code.SEQUENCE_BROKEN, () -> bare.nsPerOperation(1_000_000, 0));
    assertEquals("Message 100 came in the hand-written baseline when 99 was due.", sentence);
  }
}
