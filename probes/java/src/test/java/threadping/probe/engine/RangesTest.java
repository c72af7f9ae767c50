package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;

/** Every parameter of every mechanism, at its ends and beyond them. */
@Timeout(120)
class RangesTest {
  static List<Variant> mechanisms() {
    return Variant.withDefaults(Experiments.ALL);
  }

  /** This value, and that of the other parameter with which it goes. */
  private static Map<String, Object> withPartner(Param param, Object value) {
    Map<String, Object> given = new HashMap<>(Map.of(param.name(), value));
    if (param.onlyWith() != null) {
      given.put(param.onlyWith().getKey(), param.onlyWith().getValue());
    }
    return given;
  }

  /** Each number at one of its ends, and with it those that depend on nothing. */
  private static Set<Map<String, Object>> atAnEnd(Mechanism mechanism, int end) {
    Map<String, Object> free = new HashMap<>();
    mechanism.params().stream()
        .filter(param -> param.choices() == null && param.onlyWith() == null)
        .forEach(param -> free.put(param.name(), param.range().get(end)));
    Set<Map<String, Object>> all = new LinkedHashSet<>();
    for (Param param : mechanism.params()) {
      if (param.choices() == null) {
        Map<String, Object> given = withPartner(param, param.range().get(end));
        given.putAll(free);
        all.add(given);
      }
    }
    return all;
  }

  /**
   * Of those with the same parameters one; those of queues hang together: ring's own test knows
   * how.
   */
  static Collection<Variant> differentlySet() {
    Map<List<Object>, Variant> all = new LinkedHashMap<>();
    for (Variant each : mechanisms()) {
      if (!each.has("size")) {
        all.putIfAbsent(List.of(each.experiment.name(), each.mechanism.params()), each);
      }
    }
    return all.values();
  }

  @ParameterizedTest
  @MethodSource("differentlySet")
  void everyNumberIsMeasuredWithAtItsEnds(Variant asked) {
    for (int end : new int[] {0, 1}) {
      for (Map<String, Object> given : atAnEnd(asked.mechanism, end)) {
        Request request = asked.request(null, null);
        request.params = given;
        Requests.warmUp(request, 0, 1, 0);
        Result result = Trial.run(request, asked.experiment);
        assertFalse(result.cut, given.toString());
        assertTrue(result.measuredOps > 0, given.toString());
      }
    }
  }

  /** Values that this parameter may not have. */
  private static List<Object> impossible(Param param) {
    return param.choices() == null
        ? List.of(param.range().get(0) - 1, param.range().get(1) + 1, "many")
        : List.of("telepathy", 3L);
  }

  @ParameterizedTest
  @MethodSource("mechanisms")
  void everyParameterIsRefusedBeyondWhatItMayBe(Variant asked) {
    for (Param param : asked.mechanism.params()) {
      for (Object value : impossible(param)) {
        Map<String, Object> given = withPartner(param, value);
        assertFails(Failure.Code.BAD_REQUEST, () -> Params.of(asked.mechanism, given));
      }
    }
  }
}
