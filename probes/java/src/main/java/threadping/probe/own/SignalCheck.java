package threadping.probe.own;

import static threadping.probe.Failure.Code.SEQUENCE_BROKEN;
import static threadping.probe.Failure.Code.STALLED;

import threadping.Signal;
import threadping.probe.Failure;
import threadping.probe.engine.Player;

/**
 * Whether each number that is published is awaited, and not before; and whether every wait ends.
 */
final class SignalCheck {
  private static final int PUBLISHER = 0;
  private static final int AWAITER = 1;

  private final Class<?> type;
  private final OwnMechanism own;
  private final long patienceNs;

  private Signal signal;
  private Crew crew;
  private volatile long publishing;
  private volatile long published;
  private volatile long awaited;

  /** What is written before a number is published, in no order but the signal's. */
  private long before;

  SignalCheck(OwnMechanism own, long patienceNs) {
    this.type = own.type();
    this.own = own;
    this.patienceNs = patienceNs;
  }

  String check() {
    long many = publish(Crew.MANY, 0);
    long alone = publish(Crew.ONE_BY_ONE, Crew.PAUSE_NS);
    endWaits();
    return String.format(
        "%s: %,d numbers in a row and %,d one by one were awaited, none before it was published;"
            + " stop ends its waits.",
        type.getName(), many, alone);
  }

  private void begin() {
    signal = own.makeSignal();
    crew = new Crew(type, patienceNs);
    publishing = published = awaited = before = 0;
  }

  /** One after the other; with a pause so long after the one before was awaited. */
  private long publish(int most, long pauseNs) {
    begin();
    crew.start(() -> publishAll(most, pauseNs));
    crew.start(this::awaitAll);
    if (!crew.end()) {
      throw stuck();
    }
    long says = says();
    if (says != publishing) {
      throw broken("published() is %,d when %,d was published last", says, publishing);
    }
    return published;
  }

  private long says() {
    return Bounded.call(patienceNs, type.getSimpleName() + ".published", signal::published);
  }

  private void publishAll(int most, long pauseNs) throws Exception {
    crew.repeat(
        most,
        pauseNs,
        () -> {
          publish(published + 1);
          published++;
        },
        () -> awaited);
    publish(Player.END + published);
  }

  private void publish(long n) throws InterruptedException {
    before = n;
    publishing = n;
    signal.publish(n);
  }

  private void awaitAll() throws InterruptedException {
    long seen = 0;
    while (seen < Player.END) {
      long next = seen + 1;
      seen = signal.await(next);
      if (seen < next) {
        throw broken("await(%,d) gave %,d: it returned before that was published", next, seen);
      }
      if (seen > publishing) {
        throw broken(
            "await(%,d) gave %,d, which was never published: it was torn, or is another one's",
            next, seen);
      }
      if (before < seen) {
        throw broken("What was written before %,d was published was not seen after it", seen);
      }
      awaited = seen;
      crew.move();
    }
  }

  private Failure stuck() {
    String publisher = crew.standsIn(PUBLISHER);
    String awaiter = crew.standsIn(AWAITER);
    if (awaiter != null && publisher == null && awaited < publishing) {
      return STALLED.failure(
          "%s waits on, for %s so far, though %,d was published: a wake-up was lost, or it hangs.",
          awaiter, crew.patience(), awaited + 1);
    }
    return crew.hangs(publisher != null ? publisher : awaiter, "it hangs");
  }

  private Failure broken(String what, Object... facts) {
    return SEQUENCE_BROKEN.failure(type.getName() + ": " + what + ".", facts);
  }

  /** Ends the waits of an awaiter, and of a publisher that waits for it. */
  private void endWaits() {
    begin();
    crew.start(() -> awaited = signal.await(1));
    crew.endWait("", signal::stop);
    long says = says();
    if (awaited < Signal.STOPPED || says < Signal.STOPPED) {
      throw broken(
          "After stop() await gave %,d, and published() %,d: both must be at least STOPPED",
          awaited, says);
    }
    begin();
    crew.start(() -> signal.publish(1));
    crew.endWait("", signal::stop);
  }
}
