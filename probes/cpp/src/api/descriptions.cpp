#include <string_view>

#include "api/probe.hpp"
#include "contract/field.hpp"

namespace threadping::api {

using contract::Field;

namespace {

constexpr const char* kWhose = "description";

template <class Make>
auto each_of(const Field& list, Make make) {
  list.must(list.value().is_array(), "a list");
  std::vector<decltype(make(std::declval<Field&>()))> made;
  for (auto& [index, each] : list.all()) made.push_back(make(each));
  return made;
}

std::string_view view_of(const Field& text) { return text.view(); }

/// Reads a list of two.
template <class Read>
auto both_of(const Field& pair, Read read) {
  auto both = each_of(pair, read);
  pair.must(both.size() == 2, "a list of two");
  return std::pair(both.front(), both.back());
}

}  // namespace

Field Descriptions::parse(const char* text) {
  const auto message = std::make_shared<contract::Parsed>(contract::parse_once(text == nullptr ? "" : text, kWhose));
  kept_.push_back(message);
  return {*message, kWhose};
}

std::span<const std::string_view> Descriptions::texts(const Field& list) { return keep(each_of(list, view_of)); }

Probe Descriptions::identity(const char* text) {
  return parse(text).object([](Field& from) {
    const auto toolchain = [](Field& in) {
      return Probe{.language = "",
                   .version = "",
                   .toolchain = in.at("name").text(),
                   .toolchain_version = in.at("version").text(),
                   .flags = each_of(in.at("flags"), [](const Field& flag) { return flag.text(); })};
    };
    Probe probe = from.at("toolchain").object(toolchain);
    probe.language = from.at("probe").text();
    probe.version = from.at("version").text();
    return probe;
  });
}

engine::ParamInfo Descriptions::param(Field& from) {
  engine::ParamInfo param{.name = from.at("name").view()};
  const Field fallback = from.at("default");
  if (const auto choices = from.find("choices")) {
    param.choices = texts(*choices);
    choices->must(!param.choices.empty() && fallback.view() == param.choices.front(), "texts, the default first");
    from.find("range");
  } else {
    using Any = std::numeric_limits<std::int64_t>;
    const auto number = [](const Field& each) { return each.integer(Any::min(), Any::max()); };
    std::tie(param.least, param.most) = both_of(from.at("range"), number);
    param.number = fallback.integer(param.least, param.most);
  }
  if (const auto needs = from.find("needs"))
    param.needs = keep(each_of(*needs, [](const Field& pair) { return both_of(pair, view_of); }));
  if (auto partner = from.find("only_with"))
    param.only_with = partner->object(
        [](Field& in) { return engine::OnlyWith{.param = in.at("param").view(), .value = in.at("value").view()}; });
  return param;
}

engine::Mechanism Descriptions::mechanism(Field& from, bool says_what_it_times) {
  constexpr std::int64_t kMostLines = 65536;
  engine::Mechanism mechanism{
      .name = from.at("name").view(), .blocking = from.at("blocking").flag(), .timed = {}, .lines = 1, .make = nullptr};
  if (says_what_it_times) {
    mechanism.timed = texts(from.at("timed"));
    from.at("timed").must(!mechanism.timed.empty(), "a list of at least one text");
  }
  if (const auto lines = from.find("lines"))
    mechanism.lines = static_cast<std::uint32_t>(lines->integer(1, kMostLines));
  if (const auto params = from.find("params")) {
    const auto read = [this](Field& each) { return each.object([this](Field& in) { return param(in); }); };
    mechanism.params = keep(each_of(*params, read));
  }
  if (auto words = from.find("words"))
    mechanism.words = words->object([](Field& in) {
      return engine::Description{.summary = in.at("summary").view(), .costs = in.at("costs").view()};
    });
  if (const auto needs = from.find("needs")) mechanism.needs = needs->view();
  if (const auto pinnable = from.find("pinnable")) mechanism.pinnable = pinnable->flag();
  return mechanism;
}

engine::Mechanism Descriptions::mechanism(const char* text) {
  return parse(text).object([this](Field& from) { return mechanism(from, false); });
}

engine::Role Descriptions::role(Field& from) {
  engine::Role role{.name = from.at("name").view(), .counts = from.at("counts").flag()};
  if (const auto numbers = from.find("numbers"))
    role.numbers = keep(each_of(*numbers, [](Field& each) {
      return each.object(
          [](Field& in) { return engine::NumberInfo{.name = in.at("name").view(), .unit = in.at("unit").view()}; });
    }));
  if (const auto tallies = from.find("tallies")) role.tallies = texts(*tallies);
  if (const auto times = from.find("times")) role.times = times->flag();
  from.must(role.tallies.size() <= engine::Samples::kMostTallies, "of at most two tallies");
  return role;
}

engine::Experiment Descriptions::experiment(const char* text) {
  return parse(text).object([this](Field& from) {
    const auto roles = [this](Field& each) { return each.object([this](Field& in) { return role(in); }); };
    const auto mechanisms = [this](Field& each) {
      return each.object([this](Field& in) { return mechanism(in, true); });
    };
    const auto threads = [](const Field& each) { return each.integer(1, contract::kMostThreads); };
    const auto [least, most] = both_of(from.at("threads"), threads);
    const auto flag = [&](const char* name) {
      const auto given = from.find(name);
      return given && given->flag();
    };
    const auto stalled = from.find("stalled");
    engine::Experiment experiment{
        .name = from.at("name").view(),
        .roles = keep(each_of(from.at("roles"), roles)),
        .least_threads = static_cast<std::size_t>(least),
        .most_threads = static_cast<std::size_t>(most),
        .windows = from.at("windows").either<contract::Unit>({"ops", contract::Unit::ops}, {"ns", contract::Unit::ns}),
        .stalled = stalled ? std::string_view(stalled->view()) : "No operation ends any more.",
        .stream = flag("stream"),
        .open_loop = flag("open_loop"),
        .mechanisms = each_of(from.at("mechanisms"), mechanisms),
    };
    from.at("roles").must(!experiment.roles.empty(), "a list of at least one role");
    return experiment;
  });
}

}  // namespace threadping::api
