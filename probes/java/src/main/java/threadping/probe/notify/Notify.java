package threadping.probe.notify;

import java.util.List;
import threadping.probe.crew.Experiment;
import threadping.probe.message.Request;
import threadping.probe.notify.mechanisms.Mechanisms;

/** The experiment {@code notify}: what the call costs that wakes another thread. */
public final class Notify {
  public static final Experiment EXPERIMENT =
      new Experiment(
              "notify",
              List.of("notifier", "waiter"),
              2,
              Request.MOST_THREADS,
              Request.Unit.NS,
              "No waiter wakes any more: a call was lost.",
              Mechanisms.ALL)
          .comparingClocks();

  private Notify() {}
}
