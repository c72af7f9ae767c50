package threadping.probe.mechanisms.signals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static threadping.probe.engine.Cast.apart;
import static threadping.probe.engine.Cast.end;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.Signal;
import threadping.probe.engine.Params;
import threadping.probe.platform.Lines;
import threadping.probe.waits.Waits;

/**
 * The contract of every signal; one that is added to the list answers these questions too.
 * Publisher and awaiter are threads of their own.
 */
@ParameterizedClass
@MethodSource("signals")
@Timeout(60)
class SignalsTest {
  private final Asked asked;
  private final Signal signal;

  /** One of the list. */
  record Asked(String name, Supplier<Signal> maker) {
    static Asked of(Signals.Spinning one) {
      Params params = Made.params(Waits.PARAMS, Map.of("wait", "yield"));
      return new Asked(one.name(), () -> one.oneWay().apply(Waits.of(params)));
    }

    static Asked of(Signals.Blocking one) {
      Params params = Made.params(one.params(), Map.of());
      return new Asked(one.name(), () -> one.maker().signal(params, new Lines(1).first(0), null));
    }
  }

  SignalsTest(Asked asked) {
    this.asked = asked;
    this.signal = asked.maker().get();
  }

  /** Those whose publisher and awaiter meet are asked as pairs. */
  static List<Asked> signals() {
    return Stream.concat(
            Signals.SPINNING.stream().filter(one -> one.oneWay() != null).map(Asked::of),
            Signals.BLOCKING.stream().filter(one -> !one.meets()).map(Asked::of))
        .toList();
  }

  @AfterEach
  void stop() {
    signal.stop();
  }

  @Test
  void whatWasPublishedIsFound() throws Exception {
    assertEquals(0, signal.published());
    for (long n = 1; n <= 100; n++) {
      signal.publish(n);
      assertEquals(n, signal.published());
      assertEquals(n, signal.await(n));
    }
  }

  /**
   * None is missed, whether the publisher or the awaiter is faster; and none comes twice, since it
   * only grows.
   */
  @Test
  void anAwaiterLearnsAllThatIsPublished() throws Exception {
    CompletableFuture<Long> awaiter =
        apart(
            () -> {
              long seen = 0;
              while (seen < 20_000) {
                long next = signal.await(seen + 1);
                assertTrue(next > seen && next <= 20_000, next + " after " + seen);
                seen = next;
              }
              return seen;
            });
    for (long n = 1; n <= 20_000; n++) {
      signal.publish(n);
    }
    assertEquals(20_000, end(awaiter));
  }

  @Test
  void anAwaiterWaitsUntilItsNumberIsThere() throws Exception {
    CompletableFuture<Long> awaiter = apart(() -> signal.await(3));
    signal.publish(1);
    signal.publish(2);
    Thread.sleep(5);
    assertFalse(awaiter.isDone());
    signal.publish(3);
    assertEquals(3, end(awaiter));
  }

  /** It costs no wake-up later: the next number is awaited as the first one was. */
  @Test
  void numbersThatNobodyAwaitedAreInTheLatest() throws Exception {
    for (long n = 1; n <= 50; n++) {
      signal.publish(n);
    }
    assertEquals(50, signal.await(50));
    CompletableFuture<Long> awaiter = apart(() -> signal.await(51));
    Thread.sleep(5);
    assertFalse(awaiter.isDone());
    signal.publish(51);
    assertEquals(51, end(awaiter));
  }

  @Test
  void whatWasWrittenBeforeIsSeen() throws Exception {
    assumeFalse(asked.name().startsWith("relaxed"), "it orders nothing");
    long[] written = new long[1001];
    CompletableFuture<Long> awaiter =
        apart(
            () -> {
              int seen = 0;
              while (seen < 1000) {
                seen = (int) signal.await(seen + 1);
                assertEquals(seen, written[seen]);
              }
              return (long) seen;
            });
    for (int n = 1; n <= 1000; n++) {
      written[n] = n;
      signal.publish(n);
      if (n % 100 == 0) {
        Thread.sleep(1); // it falls asleep meanwhile
      }
    }
    assertEquals(1000, end(awaiter));
  }

  @Test
  void stopEndsAWait() throws Exception {
    CompletableFuture<Long> awaiter = apart(() -> signal.await(1));
    while (!awaiter.isDone()) {
      signal.stop();
      Thread.sleep(1);
    }
    assertTrue(end(awaiter) >= Signal.STOPPED);
    assertTrue(signal.published() >= Signal.STOPPED);
    assertTrue(signal.await(2) >= Signal.STOPPED);
  }
}
