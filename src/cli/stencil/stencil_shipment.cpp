// SPDX-License-Identifier: BSD-3-Clause
#include "cli/stencil/stencil_shipment.hpp"

#include <cstring>
#include <vector>

#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

Json to_json(const StencilProgram& p) {
  Json sweeps = Json::array();
  for (const StencilSweep& s : p.sweeps) {
    Json reads = Json::array();
    for (const StencilRead& r : s.reads)
      reads.push_back(
          {{"field", r.field}, {"below", r.below}, {"above", r.above}, {"star", r.star}});
    sweeps.push_back({{"field", s.field},
                      {"begin", s.interior.begin},
                      {"end", s.interior.end},
                      {"reads", reads}});
  }
  return {{"dimensions", p.dimensions},
          {"extents", p.extents},
          {"fields", p.fields},
          {"sweeps", sweeps}};
}

StencilProgram program_of(const Json& json) {
  StencilProgram p;
  p.dimensions = json["dimensions"];
  p.extents = json["extents"];
  p.fields = json["fields"];
  for (const Json& s : json["sweeps"]) {
    StencilSweep sweep{s["field"], {s["begin"], s["end"]}, {}};
    for (const Json& r : s["reads"])
      sweep.reads.push_back({r["field"], r["below"], r["above"], r["star"]});
    p.sweeps.push_back(sweep);
  }
  return p;
}

std::string to_text(const StencilSource& s) {
  Json json = {{"name", s.name},
               {"file", s.file},
               {"element", s.element},
               {"steps", s.steps},
               {"origin", s.origin},
               {"program", to_json(s.program)},
               {"needed", to_json(s.needed)},
               {"scalars", s.scalars}};
  for (const SourceField& f : s.fields) json["fields"].push_back({f.name, f.extents, f.local});
  for (const SourceInput& i : s.inputs) json["inputs"].push_back({i.name, i.extents});
  for (const SourceSweep& w : s.sweeps) json["sweeps"].push_back({w.line, w.flops});
  // Numbers as bytes: a decimal one may be another.
  std::string text = json.dump();
  text.push_back('\0');
  text.append(reinterpret_cast<const char*>(s.scalar_values.data()),
              s.scalar_values.size() * sizeof(double));
  return text;
}

StencilSource source_of(const std::string& text) {
  const std::size_t end = text.find('\0');
  const Json json = Json::parse(text.substr(0, end));
  StencilSource s;
  s.name = json["name"];
  s.file = json["file"];
  s.element = json["element"];
  s.steps = json["steps"];
  s.origin = json["origin"];
  s.program = program_of(json["program"]);
  s.needed = program_of(json["needed"]);
  s.scalars = json["scalars"];
  for (const Json& f : json["fields"]) s.fields.push_back({f[0], f[1], f[2]});
  if (json.contains("inputs"))
    for (const Json& i : json["inputs"]) s.inputs.push_back({i[0], i[1]});
  for (const Json& w : json["sweeps"]) s.sweeps.push_back({w[0], "", w[1]});
  s.scalar_values.resize(s.scalars.size());
  std::memcpy(s.scalar_values.data(), text.data() + end + 1, text.size() - end - 1);
  return s;
}

// Rank 0's text on all ranks.
std::string broadcast(comm::Communicator& world, std::string text) {
  std::vector<std::int64_t> size = {static_cast<std::int64_t>(text.size())};
  world.broadcast(size);
  text.resize(static_cast<std::size_t>(size[0]));
  std::vector<std::int64_t> words((text.size() + 7) / 8);
  std::memcpy(words.data(), text.data(), text.size());
  world.broadcast(words);
  std::memcpy(text.data(), words.data(), text.size());
  return text;
}

// The Error with this message.
Error error_of(const std::string& message) {
  const std::size_t colon = message.find(": ");
  return {message.substr(0, colon),
          colon == std::string::npos ? "it failed" : message.substr(colon + 2)};
}

}  // namespace

CompiledStencil shared_by_root(comm::Communicator& world,
                               const std::function<CompiledStencil()>& make) {
  CompiledStencil result;
  std::string failure;
  const bool is_root = world.rank().value == 0;
  if (is_root) {
    try {
      result = make();
    } catch (const Error& e) {
      failure = e.what();
    } catch (const std::exception&) {
      failure = "the stencil program: it is beyond what redblue can work out; please report it";
    }
  }
  failure = broadcast(world, failure);
  if (!failure.empty()) throw error_of(failure);
  const std::string text = broadcast(world, is_root ? to_text(result.source) : "");
  result.library = broadcast(world, result.library);
  if (!is_root) result.source = source_of(text);
  return result;
}

}  // namespace redblue::cli
