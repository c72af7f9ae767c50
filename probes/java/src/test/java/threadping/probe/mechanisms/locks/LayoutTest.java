package threadping.probe.mechanisms.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.platform.Places.held;
import static threadping.probe.platform.Places.offset;
import static threadping.probe.platform.Places.spread;
import static threadping.probe.platform.Places.written;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.engine.Variant;
import threadping.probe.experiments.lock.LockExperiment;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Places;

/**
 * What shares a line and what does not, as the names of the mechanisms say. Every mechanism must be
 * in the table.
 */
@ParameterizedClass
@MethodSource("variants")
class LayoutTest {
  private static final int THREADS = 8;

  private interface Check {
    void of(Stage stage) throws InterruptedException;
  }

  private static final Map<String, Check> LAYOUTS =
      Map.ofEntries(
          Map.entry("monitor", LayoutTest::guardsAnotherPair),
          Map.entry("reentrant-lock", LayoutTest::guardsAnotherPair),
          Map.entry("reentrant-lock-fair", LayoutTest::guardsAnotherPair),
          Map.entry("read-write-lock", LayoutTest::guardsAnotherPair),
          Map.entry("read-write-lock-fair", LayoutTest::guardsAnotherPair),
          Map.entry("stamped-lock", LayoutTest::guardsAnotherPair),
          Map.entry("stamped-lock-optimistic", LayoutTest::guardsAnotherPair),
          Map.entry("semaphore", LayoutTest::guardsAnotherPair),
          Map.entry("unprotected", LayoutTest::guardsAnotherPair),
          Map.entry("get-and-add", LayoutTest::guardsAnotherPair),
          Map.entry("cas-loop", LayoutTest::guardsAnotherPair),
          Map.entry("long-adder", LayoutTest::holdsOneReference),
          Map.entry(
              "single-writer-release",
              stage -> assertEquals(THREADS, spread(counters(stage), Lines.LINE_PAIR))),
          Map.entry(
              "false-sharing",
              stage -> {
                assertEquals(THREADS, spread(counters(stage), Long.BYTES));
                assertEquals(1, spread(counters(stage), Places.LINE));
              }));

  private final Variant asked;

  LayoutTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Variant.of(LockExperiment.EXPERIMENT, "writers", "writes");
  }

  @Test
  void sharesTheLinesThatItsNameSays() throws InterruptedException {
    Check check = LAYOUTS.get(asked.mechanism.name());
    assertNotNull(check, "say above what shares a line");
    check.of(asked.stage(1, THREADS));
  }

  @Test
  void theTableNamesNothingElse() {
    assertEquals(
        Locks.ALL.stream().map(Locks.Entry::name).collect(Collectors.toSet()), LAYOUTS.keySet());
  }

  // ---- cells in the heap ----

  private static Class<?> cellType(Stage stage) {
    return ((Locks.Cells) held(stage, "cells")).cells()[0].getClass();
  }

  /** A line pair at least lies between the counter and the object's header, and other fields. */
  private static void guardsAnotherPair(Stage stage) {
    Class<?> type = cellType(stage);
    long count = offset(Cell.Counting.class, "count");
    assertTrue(count > Lines.LINE_PAIR, "the counter is at " + count);
    for (Class<?> each = type; each != Cell.Counting.class; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          long offset = offset(each, field.getName());
          assertTrue(Math.abs(offset - count) > Lines.LINE_PAIR, field + " is at " + offset);
        }
      }
    }
    long last = offset(Cell.Counting.class, "a131");
    assertTrue(last - count >= Lines.LINE_PAIR, "the padding behind ends at " + last);
  }

  /** To what keeps its own counters apart. */
  private static void holdsOneReference(Stage stage) {
    assertEquals(1, cellType(stage).getDeclaredFields().length);
  }

  // ---- counters outside the heap ----

  /** What is written in the pool by one increment of each thread. */
  private static List<Long> counters(Stage stage) throws InterruptedException {
    List<Long> counters = new ArrayList<>();
    for (int each = 0; each < THREADS; each++) {
      int thread = each;
      counters.addAll(written(stage.memory(), () -> increment(stage, thread)));
    }
    assertEquals(THREADS, counters.size(), "nothing, or outside the pool, or more than a counter");
    return counters;
  }

  private static void increment(Stage stage, int thread) throws InterruptedException {
    stage.player(thread).run(new Task(0, 1, 0, 0), new Noted());
  }
}
