package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The virtual machine's log of its stops, as several versions write it. */
class SafepointLogTest {
  private static List<String> pausesIn(String... lines) {
    return SafepointLog.pauses(List.of(lines)).stream()
        .map(pause -> pause.name() + " at " + pause.atNs() + " for " + pause.ns())
        .toList();
  }

  @Test
  void ofJava17() {
    assertEquals(
        List.of("G1CollectForAllocation at 46503706853761 for 3161842"),
        pausesIn(
            "[46503710015603ns] Safepoint \"G1CollectForAllocation\", Time since last: 52364221"
                + " ns, Reaching safepoint: 109375 ns, At safepoint: 3052467 ns, Total: 3161842"
                + " ns"));
  }

  @Test
  void ofJava21AndLater() {
    assertEquals(
        List.of("Cleanup at 900 for 100", "ThreadDump at 1990 for 10"),
        pausesIn(
            "[1000ns] Safepoint \"Cleanup\", Time since last: 52 ns, Reaching safepoint: 10 ns,"
                + " Cleanup: 20 ns, At safepoint: 70 ns, Total: 100 ns",
            "[2000ns] Safepoint \"ThreadDump\", Time since last: 52 ns, Reaching safepoint: 1"
                + " ns, At safepoint: 7 ns, Leaving safepoint: 2 ns, Total: 10 ns, Threads: 1"
                + " runnable, 12 total"));
  }

  @Test
  void whatElseIsLoggedTellsNothing() {
    assertEquals(
        List.of(), pausesIn("", "[7ns] Using the -Xlog", "Safepoint \"X\", Total: 1 ns", "[x]"));
  }

  @Test
  void theyComeInTheOrderInWhichTheyBegan() {
    assertEquals(
        List.of("Long at 1000 for 4000", "Short at 3990 for 10"),
        pausesIn(
            "[4000ns] Safepoint \"Short\", Time since last: 1 ns, Total: 10 ns",
            "[5000ns] Safepoint \"Long\", Time since last: 1 ns, Total: 4000 ns"));
  }

  @Test
  void ofTooManyTheLongestAreReported() {
    List<String> lines = new ArrayList<>();
    for (int each = 1; each <= SafepointLog.MOST + 2; each++) {
      lines.add(
          "["
              + 100_000L * each
              + "ns] Safepoint \"S\", Time since last: 1 ns, Total: "
              + each
              + " ns");
    }
    List<SafepointLog.Pause> pauses = SafepointLog.pauses(lines);
    assertEquals(SafepointLog.MOST, pauses.size());
    assertEquals(3, pauses.get(0).ns());
    assertEquals(299_997, pauses.get(0).atNs());
  }

  @Test
  void noLogIsNotNoStop() {
    assertNull(SafepointLog.read(Path.of("no such file")));
  }
}
