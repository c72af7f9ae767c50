package threadping.probe.mechanisms.queues;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.LiteTimeoutBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import threadping.probe.engine.Param;

/** The Disruptor's own waits, by which a consumer waits that finds nothing. */
final class WaitStrategies {
  /** Where a time has no default. */
  private static final long MS = 1;

  static final Param WAIT =
      Param.text(
          "wait",
          "busy-spin",
          List.of(
              "busy-spin",
              "yielding",
              "sleeping",
              "blocking",
              "lite-blocking",
              "timeout-blocking",
              "lite-timeout-blocking",
              "phased-backoff"));

  private WaitStrategies() {}

  static WaitStrategy of(String name) {
    return switch (name) {
      case "yielding" -> new YieldingWaitStrategy();
      case "sleeping" -> new SleepingWaitStrategy();
      case "blocking" -> new BlockingWaitStrategy();
      case "lite-blocking" -> new LiteBlockingWaitStrategy();
      case "timeout-blocking" -> new TimeoutBlockingWaitStrategy(MS, TimeUnit.MILLISECONDS);
      case "lite-timeout-blocking" ->
          new LiteTimeoutBlockingWaitStrategy(MS, TimeUnit.MILLISECONDS);
      case "phased-backoff" ->
          PhasedBackoffWaitStrategy.withLiteLock(MS, MS, TimeUnit.MILLISECONDS);
      default -> new BusySpinWaitStrategy();
    };
  }
}
