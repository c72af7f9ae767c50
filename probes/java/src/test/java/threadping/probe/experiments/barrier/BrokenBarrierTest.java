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

    Sound(int members) {
      within = Barriers.ALL.get(0).maker().apply(members);
    }

    @Override
    public void release(long round) throws InterruptedException {
      within.release(round);
    }

    @Override
    public void await(int member, long round) throws InterruptedException {
      within.await(member, round);
    }

    @Override
    public void arrive(int member, long round) throws InterruptedException {
      within.arrive(member, round);
    }

    @Override
    public void gather(long round) throws InterruptedException {
      within.gather(round);
    }

    @Override
    public void stop() {
      within.stop();
    }
  }

  /** Its caller waits for nobody. */
  private static class GathersNobody extends Sound {
    GathersNobody(int members) {
      super(members);
    }

    @Override
    public void arrive(int member, long round) {}

    @Override
    public void gather(long round) {}
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

  /** The caller does not wait until all have done their part. */
  @Test
  void oneThatGathersNobodyIsRefused() {
    String failure = assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(GathersNobody::new));
    assertTrue(failure.matches("When the caller knew that round [\\d,]+ was done, .*"));
  }

  /** Which could not be stopped in time: a failure of the request, and no stalled member. */
  @Test
  void aRoundThatTakesTooLongIsRefused() {
    TrialRequest request = TrialRequest.bounded(BarrierExperiment.EXPERIMENT);
    request.params = Map.of("work", 1_000_000, "jobs", 1_000_000);
    assertEquals(
        "A round of 1,000,000,000,000 steps for one member is too long: at most 100,000,000, by"
            + " less work or fewer jobs.",
        assertFails(
            Failure.Code.BAD_REQUEST,
            () -> Experiments.run(request, BarrierExperiment.EXPERIMENT)));
  }

  /** A wake-up is lost. */
  @Test
  void oneThatForgetsAMemberStalls() {
    assertFails(
        Failure.Code.STALLED,
        () ->
            run(
                members ->
                    new Sound(members) {
                      @Override
                      public void await(int member, long round) throws InterruptedException {
                        if (round == 5) {
                          new CountDownLatch(1).await();
                        }
                        super.await(member, round);
                      }
                    }));
  }

  /** A member runs in a round that the caller has not begun. */
  @Test
  void oneThatLetsMembersRunEarlyIsRefused() {
    assertFails(
        Failure.Code.SEQUENCE_BROKEN,
        () ->
            run(
                members ->
                    new GathersNobody(members) {
                      @Override
                      public void release(long round) {}

                      @Override
                      public void await(int member, long round) {}
                    }));
  }
}
