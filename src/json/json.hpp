// SPDX-License-Identifier: BSD-3-Clause
// What redblue's JSON is made with: objects keep the order in which they are written.
#pragma once

#include <nlohmann/json.hpp>

namespace redblue::json {

using Json = nlohmann::ordered_json;

}  // namespace redblue::json
