// SPDX-License-Identifier: BSD-3-Clause
// A picture of an execution: every rank's time, and the critical path through it.
#pragma once

#include <string>

#include "page/svg.hpp"
#include "task_graph/execution.hpp"
#include "task_graph/timeline.hpp"

namespace redblue::cli {

// An SVG: a bar per rank, what it does on a machine; where the execution was measured, a thinner
// bar below it with what it did. Of many ranks the first ones.
std::string timeline_plot(const std::string& title, const task_graph::Execution& execution,
                          const task_graph::Timeline& timeline);

// The same for a page; `place` says how wide.
std::string timeline_chart(const task_graph::Execution& execution,
                           const task_graph::Timeline& timeline, page::PagePicture place);

}  // namespace redblue::cli
