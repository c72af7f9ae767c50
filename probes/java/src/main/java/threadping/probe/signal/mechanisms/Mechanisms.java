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
          new Condition());

  private Mechanisms() {}
}
