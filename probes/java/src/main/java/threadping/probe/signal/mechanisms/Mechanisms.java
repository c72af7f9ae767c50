package threadping.probe.signal.mechanisms;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.crew.Params;
import threadping.probe.signal.Cells;
import threadping.probe.signal.SignalLoops;
import threadping.probe.signal.mechanisms.Mailbox.Pair;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/** Every mechanism of the signal experiment: a new one is one new file and one line here. */
public final class Mechanisms {
  private static final List<String> ROUND_TRIP = List.of("round-trip");

  public static final List<Mechanism> ALL =
      List.of(
          spinning("cas-one-line", CasOneLine::new),
          spinning("add-one-line", (n, w) -> TwoCounters.added(n, TwoCounters.ONE_LINE, w)),
          spinning("seqcst-one-line", (n, w) -> TwoCounters.seqcst(n, TwoCounters.ONE_LINE, w)),
          spinning("release-one-line", (n, w) -> TwoCounters.released(n, TwoCounters.ONE_LINE, w)),
          spinning("relaxed-one-line", (n, w) -> TwoCounters.relaxed(n, TwoCounters.ONE_LINE, w)),
          spinning("seqcst-two-lines", (n, w) -> TwoCounters.seqcst(n, TwoCounters.TWO_LINES, w)),
          spinning(
              "release-two-lines", (n, w) -> TwoCounters.released(n, TwoCounters.TWO_LINES, w)),
          sleeping("condition", params -> Pair.around(new ReentrantLock(), Condition::new)),
          sleeping("monitor", params -> Pair.around(new Object(), Monitor::new)),
          sleeping("park", params -> Pair.onWords(ParkBox::new)),
          sleeping("semaphore", params -> Pair.onWords(Semaphore::new)),
          sleeping(
              "spin-then-park",
              params -> {
                long spins = params.number(SpinThenPark.SPINS.name);
                return Pair.onWords(word -> new SpinThenPark(word, spins));
              },
              SpinThenPark.SPINS),
          sleeping("exchanger", params -> Pair.of(Exchanging::new)),
          sleeping(
              "synchronous-queue", params -> Pair.of(() -> new QueueBox(new SynchronousQueue<>()))),
          sleeping(
              "array-blocking-queue",
              params -> Pair.of(() -> new QueueBox(new ArrayBlockingQueue<>(1)))),
          sleeping("virtual-park", params -> Pair.onWords(ParkBox::new)).onVirtualThreads(),
          sleeping("pipe", params -> Channels.pipes()),
          sleeping("socketpair", params -> Channels.sockets()).sinceJava(16),
          sleeping("tcp-loopback", params -> Channels.tcp()));

  private Mechanisms() {}

  interface Protocol {
    Cells cells(int lines, Wait wait);
  }

  /** A protocol whose waiting side keeps looking; how it passes the time between is a parameter. */
  static Mechanism spinning(String name, Protocol protocol) {
    return new Mechanism(
        name,
        false,
        ROUND_TRIP,
        256,
        Waits.PARAMS,
        (params, lines, threads) ->
            new SignalLoops(protocol.cells(lines, Waits.of(params)), lines));
  }

  /** One whose waiting side sleeps: beside a wake-up one line's place in the cache is nothing. */
  static Mechanism sleeping(String name, Function<Params, Pair> pair, Param... own) {
    return new Mechanism(
        name,
        true,
        ROUND_TRIP,
        1,
        List.of(own),
        (params, lines, threads) ->
            new SignalLoops(new Mailboxes(lines, () -> pair.apply(params)), lines));
  }
}
