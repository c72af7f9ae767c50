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
    assertSame(Spin.class, wait(Map.of()).getClass());
    assertSame(Spin.class, wait(Map.of("wait", "spin")).getClass());
    assertSame(Pause.class, wait(Map.of("wait", "pause")).getClass());
    assertSame(Yield.class, wait(Map.of("wait", "yield")).getClass());
    assertSame(Backoff.class, wait(Map.of("wait", "backoff")).getClass());
  }

  @Test
  void eachIdleStrategyOfAgronasIsItsOwnWait() {
    List<Class<?>> found = new ArrayList<>();
    for (String name : Waits.AGRONA.get(0).choices()) {
      found.add(wait(Waits.AGRONA, Map.of("wait", name)).getClass());
    }
    assertEquals(
        List.of(Spin.class, Pause.class, Yield.class, Backoff.class, Sleep.class, Sleep.class),
        found);
    assertSame(Spin.class, wait(Waits.AGRONA, Map.of()).getClass());
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
    assertEquals(1_000, Backoff.parkNs(0));
    assertEquals(2_000, Backoff.parkNs(1));
    assertEquals(512_000, Backoff.parkNs(9));
    assertEquals(1_000_000, Backoff.parkNs(10));
    assertEquals(1_000_000, Backoff.parkNs(1_000_000_000));
  }
}
