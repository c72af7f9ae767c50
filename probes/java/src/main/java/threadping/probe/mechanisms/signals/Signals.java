package threadping.probe.mechanisms.signals;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.function.Function;
import threadping.Signal;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.waits.Wait;

/**
 * Every signal, in the order in which they are shown: a new one is a file here and a line below,
 * and every experiment with signals has it.
 */
public final class Signals {
  /**
   * A pair of counters whose waiting side keeps polling.
   *
   * @param oneWay one of them as a signal; null where it is the same as another's
   */
  public record Spinning(String name, Protocol protocol, Function<Wait, Signal> oneWay) {
    /** Makes the pairs, one for each line, with this between two polls. */
    public interface Protocol {
      Pairs pairs(int lines, Wait wait);
    }
  }

  /**
   * One whose awaiter sleeps.
   *
   * @param meets whether a publisher may wait for its awaiter; such a signal is for pairs alone
   * @param virtual whether it is for virtual threads
   */
  public record Blocking(
      String name, boolean meets, boolean virtual, List<Param> params, SignalMaker maker) {
    /**
     * Makes one, whose number is the word at this address; {@code first} is null, or that of the
     * same pair which was made before and has what the two share.
     */
    public interface SignalMaker {
      Signal signal(Params params, long word, Signal first);
    }

    /** The pairs, one for each line. */
    public Pairs pairs(Params params, int lines) {
      return new Pairs.OfSignals(lines, maker, params);
    }
  }

  public static final List<Spinning> SPINNING =
      List.of(
          new Spinning("cas-one-line", CasOneLine::new, wait -> new CasOneLine.CasSignal(wait)),
          oneLine("add-one-line", (n, w) -> TwoCounters.added(n, TwoCounters.ONE_LINE, w)),
          new Spinning("xadd-one-line", TwoCounters::listed, null),
          oneLine("seqcst-one-line", (n, w) -> TwoCounters.seqcst(n, TwoCounters.ONE_LINE, w)),
          oneLine("release-one-line", (n, w) -> TwoCounters.released(n, TwoCounters.ONE_LINE, w)),
          oneLine("relaxed-one-line", (n, w) -> TwoCounters.relaxed(n, TwoCounters.ONE_LINE, w)),
          new Spinning(
              "seqcst-two-lines", (n, w) -> TwoCounters.seqcst(n, TwoCounters.TWO_LINES, w), null),
          new Spinning(
              "release-two-lines",
              (n, w) -> TwoCounters.released(n, TwoCounters.TWO_LINES, w),
              null));

  public static final List<Blocking> BLOCKING =
      List.of(
          sleeping("condition", (params, word, first) -> new Sleeping.Condition(word, first)),
          sleeping("monitor", (params, word, first) -> new Sleeping.MonitorSignal(word, first)),
          sleeping("park", (params, word, first) -> new Sleeping.Park(word)),
          sleeping("semaphore", (params, word, first) -> new Sleeping.Semaphore(word)),
          new Blocking(
              "spin-then-park",
              false,
              false,
              List.of(Sleeping.SpinThenPark.SPINS),
              (params, word, first) -> new Sleeping.SpinThenPark(word, params.number("spins"))),
          meeting("exchanger", (params, word, first) -> new Sleeping.ThroughExchanger(word)),
          meeting(
              "synchronous-queue",
              (params, word, first) -> new Sleeping.ThroughQueue(word, new SynchronousQueue<>())),
          meeting(
              "array-blocking-queue",
              (params, word, first) ->
                  new Sleeping.ThroughQueue(word, new ArrayBlockingQueue<>(1))),
          new Blocking(
              "virtual-park",
              false,
              true,
              List.of(),
              (params, word, first) -> new Sleeping.Park(word)),
          sleeping("pipe", (params, word, first) -> Channels.pipe(word)),
          meeting("socketpair", (params, word, first) -> Channels.unixSockets(word, first)),
          meeting("tcp-loopback", (params, word, first) -> Channels.tcp(word, first)));

  private Signals() {}

  private static Spinning oneLine(String name, Spinning.Protocol protocol) {
    return new Spinning(
        name, protocol, wait -> new TwoCounters.CounterSignal(protocol.pairs(1, wait)));
  }

  private static Blocking sleeping(String name, Blocking.SignalMaker maker) {
    return new Blocking(name, false, false, List.of(), maker);
  }

  private static Blocking meeting(String name, Blocking.SignalMaker maker) {
    return new Blocking(name, true, false, List.of(), maker);
  }
}
