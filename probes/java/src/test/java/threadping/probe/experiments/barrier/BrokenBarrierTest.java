package threadping.probe.experiments.barrier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.mechanisms.barriers.Barrier;
import threadping.probe.mechanisms.barriers.Barriers;

/** Barriers that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenBarrierTest {
  /** Sound, until something is changed. */
  private static class Sound implements Barrier {
    final Barrier within;

    Sound(int workers) {
      within = Barriers.ALL.get(0).maker().apply(workers);
    }

    @Override
    public void release(long round) throws InterruptedException {
      within.release(round);
    }

    @Override
    public void await(int worker, long round) throws InterruptedException {
      within.await(worker, round);
    }

    @Override
    public void arrive(int worker, long round) throws InterruptedException {
      within.arrive(worker, round);
    }

    @Override
    public void join(long round) throws InterruptedException {
      within.join(round);
    }

    @Override
    public void stop() {
      within.stop();
    }
  }

  /** Its coordinator waits for nobody. */
  private static class JoinsNobody extends Sound {
    JoinsNobody(int workers) {
      super(workers);
    }

    @Override
    public void arrive(int worker, long round) {}

    @Override
    public void join(long round) {}
  }

  private static void run(IntFunction<Barrier> maker) {
    Barriers.Entry entry = new Barriers.Entry("made-up", true, maker);
    Experiments.run(
        TrialRequest.bounded(BarrierExperiment.EXPERIMENT),
        BarrierExperiment.EXPERIMENT.with(BarrierExperiment.mechanism(entry)));
  }

  @Test
  void soundOnePasses() {
    run(Sound::new);
  }

  /** The coordinator does not wait until all have done their part. */
  @Test
  void oneThatJoinsNobodyIsRefused() {
    String failure = assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(JoinsNobody::new));
    assertTrue(failure.matches("When the coordinator knew that round [\\d,]+ was done, .*"));
  }

  /** Which could not be stopped in time: a failure of the request, and no stalled worker. */
  @Test
  void aRoundThatTakesTooLongIsRefused() {
    TrialRequest request = TrialRequest.bounded(BarrierExperiment.EXPERIMENT);
    request.params = Map.of("work", 1_000_000, "jobs", 1_000_000);
    assertEquals(
        "A round of 1,000,000,000,000 steps for one worker is too long: at most 100,000,000, by"
            + " less work or fewer jobs.",
        assertFails(
            Failure.Code.BAD_REQUEST,
            () -> Experiments.run(request, BarrierExperiment.EXPERIMENT)));
  }

  private static void waitForEver() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  /**
   * A wake-up is lost. Nor does stop() end the coordinator's wait: a worker whose trial is given up
   * would spin on during all later tests.
   */
  @Test
  void oneThatForgetsAWorkerStalls() {
    assertFails(
        Failure.Code.STALLED,
        () ->
            run(
                workers ->
                    new Sound(workers) {
                      @Override
                      public void await(int worker, long round) throws InterruptedException {
                        if (round == 5) {
                          waitForEver();
                        }
                        super.await(worker, round);
                      }

                      @Override
                      public void join(long round) throws InterruptedException {
                        if (round == 5) {
                          waitForEver();
                        }
                        super.join(round);
                      }
                    }));
  }

  /** A worker runs in a round that the coordinator has not begun. */
  @Test
  void oneThatLetsWorkersRunEarlyIsRefused() {
    assertFails(
        Failure.Code.SEQUENCE_BROKEN,
        () ->
            run(
                workers ->
                    new JoinsNobody(workers) {
                      @Override
                      public void release(long round) {}

                      @Override
                      public void await(int worker, long round) {}
                    }));
  }
}
