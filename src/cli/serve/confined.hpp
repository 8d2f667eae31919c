// SPDX-License-Identifier: BSD-3-Clause
// What the process that analyses somebody's source may use, and what it may reach. Each step is for
// good, and for all processes it starts.
#pragma once

#include <string>

namespace redblue::cli {

// At most so many seconds of a processor and 2 GiB of memory; no file written but the one that
// standard output may be; and it ends with the process that started it. Throws Error where the
// system refuses.
void limit_resources(int seconds);

// From here on no file is opened and no path looked at, no program started and nobody talked to:
// no descriptor can be had any more (RLIMIT_NOFILE, on every system), and where Linux can filter
// calls by seccomp, all are refused but those of computing and of writing to what is open.
void reach_nothing();

}  // namespace redblue::cli
