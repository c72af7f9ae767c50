package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.HOUR;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.toy.Toy;

/**
 * Any thread that cannot be started ends a trial at once, whatever the reason; so does one that
 * fails in its first steps.
 */
@Timeout(60)
class StartingTest {
  private static final String NO_THREAD = "unable to create native thread: on purpose";
  private static final String NO_ROOM = "Java heap space";

  /** Asked whenever this thread makes another, which has no other way to be refused by a test. */
  private static final class Refusing extends InheritableThreadLocal<String> {
    private int left = Integer.MAX_VALUE;

    @Override
    protected String childValue(String why) {
      if (left-- == 0) {
        throw new OutOfMemoryError(why);
      }
      return why;
    }
  }

  private static final Refusing REFUSING = new Refusing();

  /**
   * How a trial ends if only {@code workers} workers can be made. Before them one thread touches
   * the cells.
   */
  private static String refusal(
      int workers, String why, TrialRequest request, Experiment experiment) {
    request.boundNs = HOUR; // nobody waits for it
    REFUSING.set(why);
    REFUSING.left = workers + 1;
    try {
      return assertFails(Failure.Code.UNSUPPORTED, () -> request.run(experiment));
    } finally {
      REFUSING.left = Integer.MAX_VALUE;
      REFUSING.remove();
    }
  }

  static Stream<Variant> variants() {
    return Experiments.ALL.stream()
        .flatMap(experiment -> Variant.of(experiment).stream())
        .filter(Variant::hasDefaults);
  }

  private static TrialRequest request(Variant asked) {
    boolean isMany = asked.has("producers");
    int most = asked.experiment.name().equals("queue") && !isMany ? 2 : 4;
    int threads = Math.min(most, asked.experiment.mostThreads());
    return asked.request(threads, isMany && threads > 2 ? Map.of("producers", 3L) : Map.of());
  }

  /**
   * The outsider that leads is a thread of the native part's, which C++'s tests cover. To have a
   * pool start one of its threads takes another, which may be the one that is refused.
   */
  @ParameterizedTest
  @MethodSource("variants")
  void aTeamOfWhichNotAllCouldBeStartedEndsAndSaysHowMany(Variant asked) {
    int threads = request(asked).threads.size();
    for (int workers = 0; workers < threads; workers++) {
      String sentence = refusal(workers, NO_THREAD, request(asked), asked.experiment);
      boolean isPool = asked.mechanism.name().endsWith("-pool");
      String begin =
          "Only %s of %d threads could be started \\(Resource temporarily unavailable\\)\\..*";
      String fewest = isPool ? "[0-" + workers + "]" : "" + workers;
      assertTrue(sentence.matches(String.format(begin, fewest, threads)), sentence);
    }
  }

  @Test
  void theHeapThatIsFullIsSaid() {
    for (Experiment.Unit windows : Experiment.Unit.values()) {
      Experiment toy = Toy.experiment(windows);
      for (int workers = 0; workers < 2; workers++) {
        assertEquals(
            "Only "
                + workers
                + " of 2 threads could be started. Java is out of memory (Java heap space): give it"
                + " more (-Xmx), or ask for fewer threads or lines, or for shorter sampling windows.",
            refusal(workers, NO_ROOM, TrialRequest.brief(toy, null, null), toy));
      }
    }
  }

  @Test
  void theThreadThatTouchesTheCellsIsOneToo() {
    Experiment toy = Toy.experiment(Experiment.Unit.OPS);
    String sentence = refusal(-1, NO_THREAD, TrialRequest.brief(toy, null, null), toy);
    assertTrue(sentence.startsWith("Only 0 of 2 threads could be started ("), sentence);
  }

  /** Any thread, under any lead, whether or not the others wait for it. */
  @Test
  void aThreadThatFailsInItsFirstStepsEndsTheTrial() {
    for (Experiment.Unit windows : Experiment.Unit.values()) {
      Experiment toy = Toy.experiment(windows);
      for (int failed : List.of(0, 1)) {
        Stage full =
            new Stage() {
              @Override
              public Player player(int thread) {
                if (thread == failed) {
                  throw new OutOfMemoryError(NO_ROOM);
                }
                return (task, samples) -> task.count();
              }

              @Override
              public Map<String, Held> counts(long[] ops) {
                return Map.of();
              }
            };
        TrialRequest request = TrialRequest.brief(toy, null, null);
        request.boundNs = HOUR;
        assertTrue(
            assertFails(Failure.Code.UNSUPPORTED, () -> Experiments.run(request, toy, full))
                .startsWith("Java is out of memory (Java heap space): give it more (-Xmx)"));
      }
    }
  }
}
