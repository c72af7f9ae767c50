package threadping.probe.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import threadping.probe.TrialRequest;

/**
 * A mechanism of an experiment's list with one choice of a parameter. One that is added there
 * inherits every question of the parameterised tests.
 */
public final class Variant {
  public final Experiment experiment;
  public final Mechanism mechanism;
  private final Map<String, Object> params;

  private Variant(Experiment experiment, Mechanism mechanism, Map<String, Object> params) {
    this.experiment = experiment;
    this.mechanism = mechanism;
    this.params = params;
  }

  /** Each mechanism that this virtual machine can run, with its defaults and each other choice. */
  public static List<Variant> of(Experiment experiment) {
    List<Variant> all = new ArrayList<>();
    for (Mechanism mechanism : experiment.mechanisms()) {
      if (mechanism.needs() == null) {
        all.add(new Variant(experiment, mechanism, Map.of()));
        mechanism.params().stream()
            .filter(param -> param.onlyWith() == null)
            .flatMap(Variant::othersThanDefault)
            .forEach(params -> all.add(new Variant(experiment, mechanism, params)));
      }
    }
    return all;
  }

  /** Of a text all choices, of a number the least: the most may be too much for a test. */
  private static Stream<Map<String, Object>> othersThanDefault(Param param) {
    Stream<?> values =
        param.choices() == null ? Stream.of(param.range().get(0)) : param.choices().stream();
    return values
        .filter(value -> !value.equals(param.defaultValue()))
        .map(value -> Map.of(param.name(), value));
  }

  public Stage stage(int lines, int threads) {
    return stage(lines, threads, Map.of());
  }

  public Stage stage(int lines, int threads, Map<String, Object> more) {
    Map<String, Object> given = new HashMap<>(params);
    given.putAll(more);
    Params all = Params.of(mechanism, given);
    boolean blocking = mechanism.blocking();
    return mechanism.maker().stage(new Mechanism.Setup(all, lines, threads, 7, blocking));
  }

  /** A brief trial of this. */
  public TrialRequest request(Integer... cpus) {
    TrialRequest request = TrialRequest.brief(experiment, cpus);
    request.mechanism = mechanism.name();
    request.params = params;
    return request;
  }

  /** Those whose parameters of these names have their defaults. */
  public static List<Variant> of(Experiment experiment, String... defaulted) {
    return of(experiment).stream()
        .filter(one -> List.of(defaulted).stream().noneMatch(one.params::containsKey))
        .toList();
  }

  /** Whether all parameters have their default. */
  public boolean hasDefaults() {
    return params.isEmpty();
  }

  /** Whether it is of the first mechanism in its experiment's list. */
  public boolean isOfFirst() {
    return mechanism == experiment.mechanisms().get(0);
  }

  /** Whether it is of the first there that sleeps as this one does, or spins. */
  public boolean isFirstOfItsKind() {
    return experiment.mechanisms().stream()
        .filter(each -> each.blocking() == mechanism.blocking())
        .limit(1)
        .anyMatch(first -> first == mechanism);
  }

  /** A brief trial of this with more parameters, of {@code threads} threads that are not pinned. */
  public TrialRequest request(int threads, Map<String, Object> more) {
    TrialRequest request = request(new Integer[threads]);
    request.params = new HashMap<>(params);
    request.params.putAll(more);
    return request;
  }

  public boolean has(String param) {
    return mechanism.params().stream().anyMatch(each -> each.name().equals(param));
  }

  /** Whether a waiting thread keeps its CPU. */
  boolean keepsItsCpu() {
    Object wait = params.getOrDefault("wait", "spin");
    return !mechanism.blocking() && (wait.equals("spin") || wait.equals("pause"));
  }

  @Override
  public String toString() {
    return experiment.name() + " " + mechanism.name() + " " + params;
  }
}
