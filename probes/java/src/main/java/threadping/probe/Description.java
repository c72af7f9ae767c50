package threadping.probe;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import threadping.probe.contract.Json;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Role;

/** What {@code describe} writes: contract/describe.schema.json. */
final class Description {
  private Description() {}

  static byte[] json(String version, List<String> flags, List<Experiment> experiments) {
    String name = System.getProperty("java.vm.name");
    String vendor = System.getProperty("java.vendor");
    String build = System.getProperty("java.vm.version");
    Map<String, Object> toolchain =
        Json.object("name", name + " (" + vendor + ")", "version", build, "flags", flags);
    List<Object> all = each(experiments, Description::experiment);
    return Json.message(
        Json.object(
            "probe", "java", "version", version, "toolchain", toolchain, "experiments", all));
  }

  private static <T> List<Object> each(List<T> all, Function<T, Object> description) {
    return all.stream().map(description).toList();
  }

  private static Map<String, Object> experiment(Experiment experiment) {
    return Json.object(
        "name", experiment.name(),
        "roles", each(experiment.roles(), Description::role),
        "threads", List.of(experiment.leastThreads(), experiment.mostThreads()),
        "windows", experiment.windows().word,
        "mechanisms", each(experiment.mechanisms(), Description::mechanism));
  }

  private static Map<String, Object> role(Role role) {
    return Json.object("name", role.name(), "counts", role.counts());
  }

  private static Map<String, Object> mechanism(Mechanism mechanism) {
    Mechanism.Words own = mechanism.words();
    return Json.object(
        "name", mechanism.name(),
        "blocking", mechanism.blocking(),
        "timed", mechanism.timed(),
        "pinnable", !mechanism.virtual(),
        "lines", mechanism.lines(),
        "params", each(mechanism.params(), Description::param),
        "needs", mechanism.needs(),
        "words", own == null ? null : Json.object("summary", own.summary(), "costs", own.costs()));
  }

  private static Map<String, Object> param(Param param) {
    Map.Entry<String, String> partner = param.onlyWith();
    return Json.object(
        "name", param.name(),
        "default", param.defaultValue(),
        "choices", param.choices(),
        "needs", param.needs(),
        "range", param.range(),
        "only_with",
            partner == null
                ? null
                : Json.object("param", partner.getKey(), "value", partner.getValue()));
  }
}
