package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Timings;
import threadping.probe.crew.Variant;
import threadping.probe.message.Result;

/** The same questions to every mechanism; one that is added to the list answers them too. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int LINES = 3;

  private final Variant asked;

  ConformanceTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Variant.of(Lock.EXPERIMENT);
  }

  /** All that were made are found, or some where nothing protects them. */
  private void assertFound(long made, Loops loops) {
    Result.Held held = loops.counts(made).get("increments");
    assertEquals(made, held.made);
    assertEquals(!asked.mechanism.name.equals("unprotected"), held.exact);
    assertTrue(held.found > 0 && held.found <= made, held.found + " found");
    assertTrue(held.found == made || !held.exact, held.found + " of " + made);
  }

  /** Lets so many threads do the same at once. */
  private static void together(int threads, IntConsumer task) throws Exception {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int index = 0; index < threads; index++) {
      int thread = index;
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      new Thread(
              () -> {
                try {
                  task.accept(thread);
                  end.complete(null);
                } catch (Throwable error) {
                  end.completeExceptionally(error);
                }
              })
          .start();
    }
    for (CompletableFuture<Void> end : ends) {
      end.get();
    }
  }

  @Test
  void oneThreadCounts() {
    Loops loops = asked.loops(LINES, 1);
    for (int made = 0; made < 10; made++) {
      assertEquals(made, loops.progress(1));
      assertEquals(1, loops.plain(0, 1, 1));
    }
    assertEquals(1000, loops.plain(0, 2, 1000));
    assertEquals(
        List.of(0L, 10L, 1000L), List.of(loops.progress(0), loops.progress(1), loops.progress(2)));
    assertEquals(1010, loops.counts(1010).get("increments").found);
  }

  @Test
  void noIncrementIsLostWhereNoneMayBe() throws Exception {
    int each = 10_000;
    Loops loops = asked.loops(LINES, 5);
    together(
        5,
        thread -> {
          for (int line = 0; line < 2; line++) {
            assertEquals(each, loops.plain(thread, line, each));
            assertEquals(each, loops.timed(thread, line, 0, new Timings(each), each));
          }
        });
    assertFound(2 * 2 * 5 * each, loops);
  }

  @Test
  void timesEveryOperationThatItIsToTimeAndNoMore() throws Exception {
    Loops loops = asked.loops(1, 2);
    together(
        2,
        thread -> {
          Timings timings = new Timings(501);
          long last = System.nanoTime();
          assertEquals(500, loops.timed(thread, 0, 0, timings, 500));
          for (int each = 0; each < 500; each++) {
            assertTrue(last <= timings.fromNs[each] && timings.fromNs[each] <= timings.toNs[each]);
            last = timings.toNs[each];
          }
          assertTrue(last <= System.nanoTime());
          assertEquals(0, timings.toNs[500]);
        });
    assertFound(1000, loops);
  }

  @Test
  void worksInsideAndOutside() throws Exception {
    Loops loops = asked.loops(1, 2, Map.of("critical", 3L, "outside", 5L));
    together(
        2,
        thread -> {
          loops.plain(thread, 0, 100);
          loops.timed(thread, 0, 0, new Timings(100), 100);
        });
    assertFound(400, loops);
  }
}
