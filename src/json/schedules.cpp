// SPDX-License-Identifier: BSD-3-Clause
#include "json/schedules.hpp"

namespace redblue::json {

namespace {

Json to_json(const MemoryTraffic& t) {
  return {{"loads", t.loads}, {"stores", t.stores}, {"moved", t.moved()}};
}

Json to_json(const std::optional<MemoryTraffic>& t) {
  return t ? to_json(*t) : Json(nullptr);
}

Json to_json(const std::optional<PredictedTraffic>& t) {
  if (!t) return nullptr;
  Json json = to_json(t->traffic);
  json["residual"] = t->residual;
  json["from"] = t->from == PredictedTraffic::From::count           ? "count"
                 : t->from == PredictedTraffic::From::smaller_sizes ? "smaller sizes"
                                                                    : "parts";
  return json;
}

}  // namespace

Json to_json(const Gap& gap) {
  const bool has_ratio = gap.upper && gap.lower > 0;
  return {{"lower", gap.lower},
          {"upper", gap.upper ? Json(*gap.upper) : Json(nullptr)},
          {"ratio", has_ratio ? Json(gap.ratio()) : Json(nullptr)},
          {"how", gap.upper ? Json(gap.how) : Json(nullptr)}};
}

Json to_json(const Replays& r) {
  Json json = {{"belady", to_json(r.belady)}, {"lru", to_json(r.lru)}};
  json["tiles"] = to_json(r.tiles);
  json["tile_words"] = r.tiles ? Json(r.tile_words) : Json(nullptr);
  return json;
}

Json to_json(const TiledSchedule& t, const Gap& gap) {
  Json json = {{"program", t.program}, {"vertices", t.vertices}};
  json["bands"] = Json::array();
  for (const TiledBand& band : t.bands) {
    Json loops = Json::array();
    for (const auto& loop : band.loops)
      loops.push_back({{"loop", loop.steps}, {"tile", loop.size}});
    json["bands"].push_back({{"statements", band.statements}, {"loops", loops}});
  }
  json["triangles"] = nullptr;
  if (t.triangles) {
    json["triangles"] = {{"pairs", t.triangles->pairs},
                         {"pieces", t.triangles->pieces},
                         {"touched", t.triangles->touched}};
  }
  json["late"] = nullptr;
  if (t.late) {
    json["late"] = {{"array", t.late->array},
                    {"step", t.late->step},
                    {"side", t.late->side},
                    {"copies", t.late->copies}};
  }
  json["storage"] = t.storage;
  json["reordered"] = t.reordered;
  json["calls"] = t.calls;
  json["tiles"] = Json::array();
  for (const TiledBand& band : t.bands) {
    for (const auto& loop : band.loops) json["tiles"].push_back(loop.size);
  }
  if (t.late) json["tiles"].push_back(t.late->side);
  json["own"] = to_json(t.own);
  json["tiled"] = to_json(t.tiled);
  json["predicted"] = to_json(t.predicted);
  json["bound"] = gap.lower;
  json["gap"] = to_json(gap);
  return json;
}

}  // namespace redblue::json
