package threadping.probe.signal;

import java.util.List;

/** Every mechanism of the signal experiment: a new one is one new file and one line here. */
final class Mechanisms {
  static final List<SignalMechanism> ALL =
      List.of(
          new CasOneLine(), //
          new AddOneLine(),
          new ReleaseTwoLines(),
          new ConditionSignal());

  private Mechanisms() {}
}
