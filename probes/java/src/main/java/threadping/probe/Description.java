package threadping.probe;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import threadping.probe.crew.Experiment;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.message.Json;

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
    return all.stream().map(description).collect(Collectors.toList());
  }

  private static Map<String, Object> experiment(Experiment experiment) {
    return Json.object(
        "name", experiment.name,
        "roles", experiment.roles,
        "threads", List.of(experiment.leastThreads, experiment.mostThreads),
        "windows", experiment.windows.word,
        "mechanisms", each(experiment.mechanisms, Description::mechanism));
  }

  private static Map<String, Object> mechanism(Mechanism mechanism) {
    Map<String, Object> words = Json.object("summary", mechanism.summary, "costs", mechanism.costs);
    return Json.object(
        "name", mechanism.name,
        "blocking", mechanism.blocking,
        "timed", mechanism.timed,
        "pinnable", !mechanism.virtual,
        "lines", mechanism.lines,
        "params", each(mechanism.params, Description::param),
        "needs", mechanism.needs(),
        "words", mechanism.summary == null ? null : words);
  }

  private static Map<String, Object> param(Param param) {
    Map.Entry<String, String> partner = param.onlyWith;
    return Json.object(
        "name", param.name,
        "default", param.defaultValue,
        "choices", param.choices,
        "range", param.range,
        "only_with",
            partner == null
                ? null
                : Json.object("param", partner.getKey(), "value", partner.getValue()));
  }
}
