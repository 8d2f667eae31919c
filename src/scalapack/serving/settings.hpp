// SPDX-License-Identifier: BSD-3-Clause
// What the environment of a program says of how its calls are served.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redblue::scalapack {

// A limit on bytes: so many, or a share of what is free.
struct MemoryLimit {
  std::optional<std::int64_t> bytes;
  double share = 1;  // of what is free, where bytes are not given
};

// "4000000", "512K", "512M", "2G" (powers of 1024) or "25%"; nothing where the text is none of
// these.
std::optional<MemoryLimit> memory_limit(const std::string& text);

struct Settings {
  // REDBLUE_MIN_WORK: calls with fewer operations (multiplications; elements moved, for routines
  // that only move) go to ScaLAPACK, all others are served, whichever is faster.
  std::optional<double> least_work;
  // REDBLUE_MEMORY: bytes that a call may take on a process beyond the matrices.
  std::optional<MemoryLimit> memory;
  // REDBLUE_OFF: routines that are never served, without type: "gemm,potrf".
  std::vector<std::string> off;
  bool report = false;            // REDBLUE_REPORT is set: totals at exit
  bool report_each_call = false;  // REDBLUE_REPORT=calls: a line per call, too
  // REDBLUE_REPORT=html, html:FILE: instead a page, to be written to this file; else empty.
  std::string page;
  // What is wrong with them, for the user: nothing is served then.
  std::string fault;
};

// Of the variables' values; null where one is not set.
Settings settings_of(const char* least_work, const char* memory, const char* off,
                     const char* report);

// Of this process, read once.
const Settings& settings();

// "gemm" of "pdgemm"
std::string without_type(const std::string& routine);

// Bytes of memory that the system could give now; nothing where it does not say.
std::optional<std::int64_t> free_bytes();

}  // namespace redblue::scalapack
