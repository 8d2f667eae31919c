// SPDX-License-Identifier: BSD-3-Clause
// Results of searches, kept in files.
#pragma once

#include <optional>
#include <string>

#include "schedule/choice/choice.hpp"

namespace redblue::measure_detail {

// The processor this runs on, as it calls itself; empty where nobody knows.
std::string processor_name();

// What was kept for this key; nothing where there is nothing, or nothing that can be read.
std::optional<schedule::codegen::Choice> remembered(const std::string& folder,
                                                    const std::string& key);

// Keeps the choice in the folder, which is made where it is missing: a file per key. What is wrong,
// or nothing.
std::string remember(const std::string& folder, const std::string& key,
                     const schedule::codegen::Choice& choice);

}  // namespace redblue::measure_detail
