package threadping.probe.mechanisms.signals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.waits.Waits;

/** A mechanism of the list with one choice of its parameters, made without any experiment. */
record Made(String name, Map<String, Object> params, IntFunction<Pairs> pairs) {
  /** Every mechanism that this virtual machine can run; one that spins with each wait. */
  static List<Made> all() {
    List<Made> all = new ArrayList<>();
    for (Signals.Spinning signal : Signals.SPINNING) {
      for (String wait : Waits.PARAMS.get(0).choices()) {
        Map<String, Object> given = Map.of("wait", wait);
        Params params = params(Waits.PARAMS, given);
        all.add(
            new Made(
                signal.name(), given, lines -> signal.protocol().pairs(lines, Waits.of(params))));
      }
    }
    for (Signals.Blocking signal : Signals.BLOCKING) {
      Params params = params(signal.params(), Map.of());
      all.add(new Made(signal.name(), Map.of(), lines -> signal.pairs(params, lines)));
    }
    return all;
  }

  static Params params(List<Param> params, Map<String, Object> given) {
    return Params.of(new Mechanism("any", false, List.of("any"), 1, params, null), given);
  }

  @Override
  public String toString() {
    return name + " " + params;
  }
}
