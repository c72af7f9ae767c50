package threadping.probe.ring;

import java.util.List;
import threadping.probe.crew.Experiment;
import threadping.probe.message.Request;
import threadping.probe.ring.mechanisms.Mechanisms;

/** The experiment {@code ring}: a stream of messages at full speed. */
public final class Ring {
  public static final Experiment EXPERIMENT =
      new Experiment(
              "ring",
              List.of("producer", "consumer"),
              2,
              Request.MOST_THREADS,
              Request.Unit.NS,
              "No message arrives any more: one was lost, or the queue is full and nobody takes"
                  + " from it.",
              Mechanisms.ALL)
          .notInTurn()
          .comparingClocks();

  private Ring() {}
}
