// SPDX-License-Identifier: BSD-3-Clause
#include "cli/stencil/stencil_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/options.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

void StencilMeshTexts::add_to(CLI::App& command) {
  command.add_option("-d", dimensions, "Dimensions: 1, 2 or 3")->capture_default_str();
  command.add_option("-n", extent, "Points of the mesh in each dimension");
  command.add_option("--radius", radius, "How far the stencil reaches")->capture_default_str();
  CLI::Option* as_star = command.add_flag("--star", star, "Along the dimensions only (default)");
  command.add_flag("--box", box, "In all directions: (2 radius + 1)^d points")->excludes(as_star);
  command.add_flag("--periodic", periodic,
                   "A torus; by default the points beside the interior keep their values");
}

StencilProgram StencilMeshTexts::program() const {
  const std::int64_t d = whole_number("-d", dimensions);
  if (d < 1 || d > 3) throw Error("-d " + dimensions, "not 1, 2 or 3 dimensions", "give -d 2");
  return stencil_program(static_cast<int>(d), whole_number("-n", extent),
                         whole_number("--radius", radius), !box,
                         periodic ? StencilBoundary::periodic : StencilBoundary::fixed);
}

std::string StencilMeshTexts::title() const {
  return fmt::format("{} of radius {} on {}{}", box ? "box" : "star", radius,
                     extents_text(program()), periodic ? ", periodic" : "");
}

void StencilWayTexts::add_to(CLI::App& command) {
  command
      .add_option("--scheme", scheme,
                  "pa0 (halos in every step), pa1 (halos of --depth steps), trapezoid (--depth "
                  "steps, no point twice) or outer-blocked (Schedule 1); default: by predicted "
                  "time")
      ->check(CLI::IsMember({"pa0", "pa1", "trapezoid", "outer-blocked"}));
  command.add_option("--depth", depth, "Steps between two exchanges (default: by predicted time)");
  command.add_option("--side", side,
                     "Side of a rank's blocks with outer-blocked (default: by predicted time)");
  command.add_option("--memory", memory,
                     "Words a rank may hold, everything counted (default: unlimited)");
  command.add_option("--machine", machine,
                     "Machine file for predicted times (redblue machine writes one)");
}

StencilPlanRequest StencilWayTexts::request() const {
  StencilPlanRequest r;
  for (const StencilScheme s : {StencilScheme::pa0, StencilScheme::pa1, StencilScheme::trapezoid,
                                StencilScheme::outer_blocked}) {
    if (scheme == name(s)) r.scheme = s;
  }
  if (!depth.empty()) r.depth = whole_number("--depth", depth);
  if (!side.empty()) r.side = whole_number("--side", side);
  if (!machine.empty()) r.machine = read_machine(machine);
  r.memory = r.machine.memory;
  if (!memory.empty()) {
    const std::int64_t words = whole_number("--memory", memory);
    if (words < 0) throw Error("--memory " + memory, "a negative size", "give a number of words");
    r.memory = Words(words);
  }
  return r;
}

std::string extents_text(const StencilProgram& program) {
  std::string text;
  for (int j = 0; j < program.dimensions; ++j) {
    text += fmt::format("{}{}", j > 0 ? " x " : "", program.extents[static_cast<std::size_t>(j)]);
  }
  return text;
}

Json ratio_to_bound(std::int64_t words, double bound) {
  return bound > 0 ? Json(static_cast<double>(words) / bound) : Json(nullptr);
}

void add_decomposition(Json& json, const StencilProgram& program, const StencilDecomposition& d) {
  json["decomposition"] = d.name();
  json["scheme"] = name(d.scheme);
  json["depth"] = d.depth;
  json["side"] = d.scheme == StencilScheme::outer_blocked
                     ? Json(*std::max_element(d.side.begin(), d.side.end()))
                     : Json(nullptr);
  json["grid"] = Json::array();
  for (int j = 0; j < program.dimensions; ++j) {
    json["grid"].push_back(d.grid[static_cast<std::size_t>(j)]);
  }
}

}  // namespace redblue::cli
