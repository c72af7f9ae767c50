package threadping.probe.experiments.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.engine.Cast.end;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Held;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Variant;

/** The same questions to every lock and counter; one that is added to the list answers them too. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int LINES = 3;

  /** Mechanisms that do not show whether another thread was there. */
  private static final Set<String> TELL_NOTHING =
      Set.of("long-adder", "single-writer-release", "false-sharing", "unprotected");

  private final Variant asked;
  private final String name;

  ConformanceTest(Variant asked) {
    this.asked = asked;
    this.name = asked.mechanism.name();
  }

  static List<Variant> variants() {
    return Variant.of(LockExperiment.EXPERIMENT, "writers", "writes");
  }

  /** All that were made are found, or some where nothing protects them. */
  private void assertFound(long made, Stage stage) {
    Held held = stage.counts(new long[] {made - 1, 1}).get("increments");
    assertEquals(made, held.made());
    assertEquals(!name.equals("unprotected"), held.exact());
    assertTrue(held.found() > 0 && held.found() <= made, held.found() + " found");
    assertTrue(held.found() == made || !held.exact(), held.found() + " of " + made);
  }

  /** Lets {@code threads} threads do the same at once, on the first lines. */
  private static void together(Cast cast, int threads, int lines, int count, int every)
      throws Exception {
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      for (int line = 0; line < lines; line++) {
        all.add(cast.run(thread, line, count, every));
      }
    }
    for (CompletableFuture<Integer> each : all) {
      assertEquals(count, end(each));
    }
  }

  @Test
  void oneThreadCounts() throws Exception {
    Stage stage = asked.stage(LINES, 1);
    Cast cast = new Cast(stage, false).of(1);
    for (int made = 0; made < 10; made++) {
      assertEquals(made, stage.progress(1));
      assertEquals(1, end(cast.run(0, 1, 1, 0)));
    }
    assertEquals(1000, end(cast.run(0, 2, 1000, 0)));
    assertEquals(
        List.of(0L, 10L, 1000L), List.of(stage.progress(0), stage.progress(1), stage.progress(2)));
  }

  @Test
  void noIncrementIsLostWhereNoneMayBe() throws Exception {
    Stage stage = asked.stage(LINES, 5);
    Cast cast = new Cast(stage, false).of(5);
    together(cast, 5, 2, 10_000, 0);
    together(cast, 5, 2, 10_000, 7);
    assertFound(2 * 2 * 5 * 10_000, stage);
  }

  /** And of a group that is not whole none, unless its middle is there. */
  @Test
  void timesTheMiddleOneOfEachGroup() throws Exception {
    Stage stage = asked.stage(1, 2);
    Cast cast = new Cast(stage, false).of(2);
    long before = System.nanoTime();
    together(cast, 2, 1, 502, 10);
    for (int thread = 0; thread < 2; thread++) {
      Noted samples = cast.samples(thread);
      assertEquals(50, samples.size());
      assertEquals(100, samples.readings());
      long last = before;
      for (int each = 0; each < samples.size(); each++) {
        assertTrue(last <= samples.from(each) && samples.from(each) <= samples.to(each));
        last = samples.to(each);
      }
    }
    assertFound(1004, stage);
  }

  @Test
  void throughputWindowsReadNoClock() throws Exception {
    Cast cast = new Cast(asked.stage(1, 1), false).of(1);
    together(cast, 1, 1, 500, 0);
    assertEquals(0, cast.samples(0).readings());
    assertEquals(0, cast.samples(0).size());
    assertEquals(0, cast.samples(0).made(0));
  }

  /** Planted: two alternating threads, 5 and 7 operations at a time, hand over once each. */
  @Test
  void countsHandoffsWithoutAClock() throws Exception {
    Cast cast = new Cast(asked.stage(1, 2), false).of(2);
    for (int round = 0; round < 3; round++) {
      end(cast.run(0, 0, 5, 8));
      end(cast.run(1, 0, 7, 8));
    }
    boolean tells = !TELL_NOTHING.contains(name);
    assertEquals(tells ? 15 : 0, cast.samples(0).made(0));
    assertEquals(tells ? 21 : 0, cast.samples(1).made(0));
    assertEquals(tells ? 2 : 0, cast.samples(0).found(0), "the first was nobody's before");
    assertEquals(tells ? 3 : 0, cast.samples(1).found(0));
  }

  @Test
  void worksInsideAndOutside() throws Exception {
    Stage stage = asked.stage(1, 2, Map.of("critical", 3L, "outside", 5L));
    Cast cast = new Cast(stage, false).of(2);
    together(cast, 2, 1, 100, 0);
    together(cast, 2, 1, 100, 4);
    assertFound(400, stage);
  }
}
