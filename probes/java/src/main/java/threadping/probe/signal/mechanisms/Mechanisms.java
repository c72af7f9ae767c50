package threadping.probe.signal.mechanisms;

import java.util.List;

/** Every mechanism of the signal experiment: a new one is one new file and one line here. */
public final class Mechanisms {
  public static final List<SignalMechanism> ALL =
      List.of(
          new CasOneLine(),
          new AddOneLine(),
          new SeqcstOneLine(),
          new ReleaseOneLine(),
          new RelaxedOneLine(),
          new SeqcstTwoLines(),
          new ReleaseTwoLines(),
          new Condition(),
          new Monitor(),
          new Park(),
          new Semaphore(),
          new SpinThenPark(),
          new Exchanging(),
          new Synchronous(),
          new ArrayBlocking(),
          new VirtualPark(),
          new Pipe(),
          new SocketPair(),
          new TcpLoopback());

  private Mechanisms() {}
}
