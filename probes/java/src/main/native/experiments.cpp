#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "description.hpp"
#include "engine/trial.hpp"
#include "host.hpp"
#include "java.hpp"

namespace threadping::java {
namespace {

using engine::Experiment;
using engine::Mechanism;
using engine::ParamInfo;
using engine::Role;

/// Descriptions are views of what is kept here for good: a probe describes itself once.
template <class Value>
std::span<const Value> kept(std::vector<Value> values) {
  static std::deque<std::vector<Value>> all;
  return all.emplace_back(std::move(values));
}
std::string_view kept(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}
std::string_view kept(const Object& text) { return kept(text.text()); }

/// What is made of each in a field that is a List.
template <class Make>
auto each_of(const Object& from, const char* name, Make make) {
  std::vector<decltype(make(std::declval<const Object&>()))> made;
  const auto list = from.list(name);
  for (const Object& each : *list) made.push_back(make(each));
  return kept(std::move(made));
}

std::span<const std::string_view> texts_of(const Object& from, const char* name) {
  return each_of(from, name, [](const Object& text) { return kept(text); });
}

ParamInfo param_of(const Object& from) {
  ParamInfo param{.name = kept(from.text("name"))};
  if (const auto range = from.list("range")) {
    param.number = from.object("defaultValue", "Ljava/lang/Object;").value();
    param.least = range->front().value();
    param.most = range->back().value();
  } else {
    param.choices = texts_of(from, "choices");
  }
  if (const Object partner = from.object("onlyWith", "Ljava/util/Map$Entry;"))
    param.only_with = {.param = kept(partner.called("getKey", "()Ljava/lang/Object;")),
                       .value = kept(partner.called("getValue", "()Ljava/lang/Object;"))};
  param.needs = each_of(from, "needs", [](const Object& pair) {
    const std::vector<Object> both = pair.listed();
    return std::pair(kept(both.front()), kept(both.back()));
  });
  return param;
}

Mechanism mechanism_of(const Object& from) {
  const Object needs = from.called("needs", "()Ljava/lang/String;");
  const Object words = from.object("words", "Lthreadping/probe/engine/Mechanism$Description;");
  Mechanism mechanism{.name = kept(from.text("name")),
                      .blocking = from.flag("blocking"),
                      .timed = texts_of(from, "timed"),
                      .lines = static_cast<std::uint32_t>(from.integer("lines")),
                      .params = each_of(from, "params", param_of),
                      .needs = needs ? kept(needs) : "",
                      .pinnable = !from.flag("virtual"),
                      .make = nullptr};
  if (words) mechanism.words = {.summary = kept(words.text("summary")), .costs = kept(words.text("costs"))};
  return mechanism;
}

engine::NumberInfo number_of(const Object& from) {
  return {.name = kept(from.text("name")), .unit = kept(from.text("unit"))};
}

/// With all its mechanisms, or only that of a name.
Experiment experiment_of(const Object& from, const std::string& mechanism = "") {
  const Object windows = from.object("windows", "Lthreadping/probe/engine/Experiment$Unit;");
  std::vector<Mechanism> mechanisms;
  const auto all = from.list("mechanisms");
  for (const Object& each : *all)
    if (mechanism.empty() || each.text("name") == mechanism) mechanisms.push_back(mechanism_of(each));
  return {.name = kept(from.text("name")),
          .roles = each_of(from, "roles",
                           [](const Object& role) {
                             return Role{.name = kept(role.text("name")),
                                         .counts = role.flag("counts"),
                                         .numbers = each_of(role, "numbers", number_of),
                                         .tallies = texts_of(role, "tallies")};
                           }),
          .least_threads = static_cast<std::size_t>(from.integer("leastThreads")),
          .most_threads = static_cast<std::size_t>(from.integer("mostThreads")),
          .windows = windows.ordinal() == 0 ? contract::Unit::ops : contract::Unit::ns,
          .stalled = kept(from.text("stalled")),
          .stream = from.flag("stream"),
          .open_loop = from.flag("openLoop"),
          .mechanisms = std::move(mechanisms)};
}

/// The message of `describe`: who this is, what it runs on with these flags, and its Experiments.
jbyteArray description(JNIEnv* env, jclass, jstring version, jstring name, jstring build, jobject flags,
                       jobject experiments) {
  return tried(env, [&] {
    Probe probe{.language = "java",
                .version = text(env, version),
                .toolchain = text(env, name),
                .toolchain_version = text(env, build),
                .flags = {}};
    for (const Object& flag : Object(env, checked(env, env->NewLocalRef(flags))).listed())
      probe.flags.push_back(flag.text());
    std::deque<Experiment> all;
    std::vector<const Experiment*> each;
    for (const Object& experiment : Object(env, checked(env, env->NewLocalRef(experiments))).listed())
      each.push_back(&all.emplace_back(experiment_of(experiment)));
    return bytes(env, describe(probe, each) + "\n");
  });
}

/// The name of the experiment that a request is about.
jstring experiment(JNIEnv* env, jclass, jbyteArray message) {
  return tried(env, [&] { return string(env, contract::parse_request(text(env, message)).experiment); });
}

jbyteArray measured(JNIEnv* env, jbyteArray message, jobject experiment) {
  const contract::Request request = contract::parse_request(text(env, message));
  const Object from(env, checked(env, env->NewLocalRef(experiment)));
  const Experiment asked = experiment_of(from, request.mechanism);
  auto host = std::make_unique<JavaHost>(env, from);
  try {
    return bytes(env, to_json(engine::run(request, asked, *host)) + "\n");
  } catch (const Unstoppable&) {
    static_cast<void>(host.release());
    throw;
  }
}

/// A trial of what a request asks for that is about this Experiment: the result's message. What its threads use is left
/// to them where they cannot be stopped. What fails for want of memory is said when its own is free again.
jbyteArray trial(JNIEnv* env, jclass, jbyteArray message, jobject experiment) {
  return tried(env, [&] { return in_frame(env, [&] { return measured(env, message, experiment); }); });
}

}  // namespace

std::vector<JNINativeMethod> message_methods() {
  return {
      method("description",
             "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/util/List;Ljava/util/List;)[B", description),
      method("experiment", "([B)Ljava/lang/String;", experiment),
      method("trial", "([BLthreadping/probe/engine/Experiment;)[B", trial),
  };
}

}  // namespace threadping::java
