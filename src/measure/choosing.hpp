// SPDX-License-Identifier: BSD-3-Clause
// The order that is measured beside the source.
#pragma once

#include <optional>

#include "program/enumerate.hpp"
#include "redblue/measure.hpp"
#include "schedule/choice/choice.hpp"

namespace redblue::measure_detail {

// The processor as the model of loops sees it.
schedule::codegen::Processor model_of(const Processor& processor);

// The fastest of the model's best orders, compiled and timed; or what a search finds, now or
// earlier. Nothing: the source's own. Says in `result` how it was chosen.
std::optional<schedule::codegen::Chosen> chosen(const MeasureRequest& request,
                                                const program::Program& program,
                                                const program::Sizes& sizes, Measurement& result);

}  // namespace redblue::measure_detail
