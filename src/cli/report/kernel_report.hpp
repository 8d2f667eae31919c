// SPDX-License-Identifier: BSD-3-Clause
// All that redblue knows of one program at one size of the fast memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/analysis/by_memory.hpp"
#include "cli/analysis/roofline.hpp"
#include "cli/analysis/schedule.hpp"
#include "cli/output.hpp"
#include "page/page.hpp"
#include "redblue/analysis.hpp"
#include "redblue/measure.hpp"
#include "redblue/statement_graph.hpp"

namespace redblue::cli {

struct KernelReport {
  BoundRequest request;  // sizes of all parameters, and S
  std::string source;    // of the file; empty for an einsum
  BoundReport bounds;
  std::vector<MemoryRange> pieces;
  MemoryPicture picture;
  std::optional<TiledSchedule> schedule;
  std::string no_schedule;  // why
  Gap gap;
  std::optional<StatementGraph> graph;
  std::string no_graph;  // why
  std::string machine;   // its name; empty: none was given
  double peak = 0;       // operations per second
  std::vector<RooflineLevel> rooflines;
  std::optional<Measurement> measured;  // where it was asked for
  std::string not_measured;             // why it failed

  std::int64_t fast_memory() const { return request.sizes.at("S"); }
  const LowerBound& best() const { return bounds.bounds[bounds.best]; }
};

struct KernelReportRequest {
  BoundRequest program;
  std::string machine;           // a machine file; empty: none
  std::optional<double> effort;  // of the search for a schedule, in millions of vertices
  bool measure = false;          // the source and its order for speed are timed on this host
};

// Throws Error where a size is missing, and what reading the program throws. A part that cannot be
// had at these sizes is left out, and its reason kept.
KernelReport kernel_report(const KernelReportRequest& request);

// Its parts, for those who make them one by one: each adds to `report` what the one above leaves
// open. Bounds at the sizes; throws what kernel_report does.
void derive_bounds(KernelReport& report, const BoundedProgram& program);
// The schedule at S, or why there is none.
void search_schedule(KernelReport& report, const std::optional<double>& effort);

Json to_json(const KernelReport& report);

// The page, without its footer; it says what `report` has.
page::Page kernel_page(const KernelReport& report);

}  // namespace redblue::cli
