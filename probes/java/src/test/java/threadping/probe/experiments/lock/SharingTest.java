package threadping.probe.experiments.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.engine.Cast.end;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Held;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Variant;

/** The contract of every lock with readers and writers. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class SharingTest {
  private final Variant asked;

  SharingTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Variant.of(LockExperiment.EXPERIMENT, "writers", "writes").stream()
        .filter(one -> one.has("writers"))
        .toList();
  }

  /** Half of the operations of three threads write, with work between the two words. */
  @Test
  void noReadIsTornAndNoWriteLost() throws Exception {
    int each = Turns.BITS;
    Stage stage = asked.stage(1, 3, Map.of("writes", 50L, "critical", 20L));
    Cast cast = new Cast(stage, false).of(3);
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      all.add(cast.run(thread, 0, each, 0));
      all.add(cast.run(thread, 0, each, 16));
    }
    for (CompletableFuture<Integer> one : all) {
      assertEquals(each, end(one));
    }
    Map<String, Held> counts = stage.counts(new long[] {2L * each, 2L * each, 2L * each});
    assertEquals(new Held(3L * each, 3L * each, true), counts.get("increments"));
    assertEquals(new Held(3L * each, 3L * each, true), counts.get("whole reads"));
  }

  @Test
  void onlyTheFirstThreadsWrite() throws Exception {
    Stage stage = asked.stage(1, 2, Map.of("writers", 1L));
    Cast cast = new Cast(stage, false).of(2);
    assertEquals(100, end(cast.run(0, 0, 100, 0)));
    assertEquals(100, end(cast.run(1, 0, 100, 4)));
    Map<String, Held> counts = stage.counts(new long[] {100, 100});
    assertEquals(new Held(100, 100, true), counts.get("increments"));
    assertEquals(new Held(100, 100, true), counts.get("whole reads"));
    assertEquals("writer", LockExperiment.EXPERIMENT.roles().get(stage.roleOf(0)).name());
    assertEquals("reader", LockExperiment.EXPERIMENT.roles().get(stage.roleOf(1)).name());
  }

  @Test
  void turnsAreExactlySoManyInAnOrderThatTheSeedGives() {
    Turns turns = new Turns(10, 7);
    StringBuilder order = new StringBuilder();
    StringBuilder other = new StringBuilder();
    Turns reseeded = new Turns(10, 8);
    int writes = 0;
    for (int number = 0; number < Turns.BITS; number++) {
      writes += turns.writes(number) ? 1 : 0;
      order.append(turns.writes(number));
      other.append(reseeded.writes(number));
    }
    assertEquals(410, writes);
    assertNotEquals(order.toString(), other.toString());
    assertTrue(new Turns(100, 7).writes(-1));
  }
}
