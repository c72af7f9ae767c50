package threadping.probe.waits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;

class WaitsTest {
  private static Wait wait(Map<String, Object> given) {
    return wait(Waits.PARAMS, given);
  }

  private static Wait wait(List<Param> params, Map<String, Object> given) {
    Mechanism mechanism = new Mechanism("waiting", false, List.of(), 1, params, null);
    return Waits.of(Params.of(mechanism, given));
  }

  @Test
  void eachNameIsItsOwnWait() {
    assertSame(Waits.Spin.class, wait(Map.of()).getClass());
    assertSame(Waits.Spin.class, wait(Map.of("wait", "spin")).getClass());
    assertSame(Waits.Pause.class, wait(Map.of("wait", "pause")).getClass());
    assertSame(Waits.Yield.class, wait(Map.of("wait", "yield")).getClass());
    assertSame(Waits.Backoff.class, wait(Map.of("wait", "backoff")).getClass());
  }

  @Test
  void eachIdleStrategyOfAgronasIsItsOwnWait() {
    List<Class<?>> found = new ArrayList<>();
    for (String name : Waits.AGRONA.get(0).choices()) {
      found.add(wait(Waits.AGRONA, Map.of("wait", name)).getClass());
    }
    assertEquals(
        List.of(
            Waits.Spin.class,
            Waits.Pause.class,
            Waits.Yield.class,
            Waits.Backoff.class,
            Waits.Sleep.class,
            Waits.Sleep.class),
        found);
    assertSame(Waits.Spin.class, wait(Waits.AGRONA, Map.of()).getClass());
  }

  @Test
  void agronasStrategiesThatSleepDoSoForAMicrosecondAndForAMillisecond() {
    assertEquals(new Waits.Sleep(1_000), wait(Waits.AGRONA, Map.of("wait", "sleeping")));
    assertEquals(new Waits.Sleep(1_000_000), wait(Waits.AGRONA, Map.of("wait", "sleeping-millis")));
  }

  @Test
  void pausesAreHandedFromLookToLook() {
    Wait pause = wait(Map.of("wait", "pause", "pauses", 7L));
    assertEquals(7, pause.start());
    assertEquals(7, pause.again(7));
    assertEquals(1, wait(Map.of("wait", "pause")).start());
  }

  @Test
  void backoffCountsTheLooksOfATurn() {
    Wait backoff = wait(Map.of("wait", "backoff"));
    assertEquals(0, backoff.start());
    assertEquals(1, backoff.again(0));
    assertEquals(16, backoff.again(15));
  }

  @Test
  void parksDoubleUpToAMillisecond() {
    assertEquals(1_000, Waits.Backoff.parkNs(0));
    assertEquals(2_000, Waits.Backoff.parkNs(1));
    assertEquals(512_000, Waits.Backoff.parkNs(9));
    assertEquals(1_000_000, Waits.Backoff.parkNs(10));
    assertEquals(1_000_000, Waits.Backoff.parkNs(1_000_000_000));
  }
}
