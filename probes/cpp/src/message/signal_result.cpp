#include "message/signal_result.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace threadping::message {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<std::vector<double>>& lines) {
  Json all = Json::array();
  for (const auto& blocks : lines) {
    Json line = Json::array();
    for (const double block : blocks) line.push_back(rounded(block));
    all.push_back(std::move(line));
  }
  return all;
}

Json json_of(const std::optional<PartialBlock>& partial) {
  if (!partial) return nullptr;
  return {{"line", partial->line}, {"round_trips", partial->round_trips}, {"ns", partial->ns}};
}

}  // namespace

std::string to_json(const SignalResult& result) {
  Json message = common_json(result, "signal");
  message["blocks"] = {{"round_trips", result.block_round_trips},
                       {"lines", json_of(result.lines)},
                       {"partial", json_of(result.partial)}};
  message["singles"] = json_of(result.singles);
  return message.dump();
}

}  // namespace threadping::message
