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

  private static final String BUSY_SPIN = "busy-spin";
  private static final String YIELDING = "yielding";
  private static final String SLEEPING = "sleeping";
  private static final String BLOCKING = "blocking";
  private static final String LITE_BLOCKING = "lite-blocking";
  private static final String TIMEOUT_BLOCKING = "timeout-blocking";
  private static final String LITE_TIMEOUT_BLOCKING = "lite-timeout-blocking";
  private static final String PHASED_BACKOFF = "phased-backoff";

  static final Param WAIT =
      Param.text(
          "wait",
          BUSY_SPIN,
          List.of(
              BUSY_SPIN,
              YIELDING,
              SLEEPING,
              BLOCKING,
              LITE_BLOCKING,
              TIMEOUT_BLOCKING,
              LITE_TIMEOUT_BLOCKING,
              PHASED_BACKOFF));

  private WaitStrategies() {}

  static WaitStrategy of(String name) {
    return switch (name) {
      case YIELDING -> new YieldingWaitStrategy();
      case SLEEPING -> new SleepingWaitStrategy();
      case BLOCKING -> new BlockingWaitStrategy();
      case LITE_BLOCKING -> new LiteBlockingWaitStrategy();
      case TIMEOUT_BLOCKING -> new TimeoutBlockingWaitStrategy(MS, TimeUnit.MILLISECONDS);
      case LITE_TIMEOUT_BLOCKING -> new LiteTimeoutBlockingWaitStrategy(MS, TimeUnit.MILLISECONDS);
      case PHASED_BACKOFF -> PhasedBackoffWaitStrategy.withLiteLock(MS, MS, TimeUnit.MILLISECONDS);
      default -> new BusySpinWaitStrategy();
    };
  }
}
