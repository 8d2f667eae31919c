// SPDX-License-Identifier: BSD-3-Clause
// One analysis in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace redblue::cli {

// Runs `redblue serve --analyse` on `request` for at most `seconds`, and hands on each line it
// prints as it comes. Returns why the answer is not complete; empty where it is. When this returns
// nothing of it runs any more: it and all it started are one group of processes, which is killed.
// `line` is called for each line, `wanted` several times a second; where either says false it ends.
std::string analyse_apart(const std::string& request, double seconds,
                          const std::function<bool(const std::string&)>& line,
                          const std::function<bool()>& wanted);

}  // namespace redblue::cli
