// SPDX-License-Identifier: BSD-3-Clause
// Two versions of a function, compiled and run beside each other.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "measure/driver.hpp"
#include "process/folder.hpp"
#include "redblue/measure.hpp"

namespace redblue::measure_detail {

// How far results may be apart where roundings differ (driver.hpp).
double tolerance_of(const program::Program& program);

// Whether the driver found no difference (but what a tolerance allows).
bool says_same(const std::string& output);

// The compiler's flags for both versions.
std::vector<std::string> flags_of(const MeasureRequest& request);

// A program of the driver and two versions.
class Build {
 public:
  // `calls`: the second version calls BLAS. Then, and where sums may be reassociated, its results
  // are compared within a tolerance. Throws Error where the driver cannot be written or compiled,
  // or there is no BLAS to call.
  Build(const MeasureRequest& request, const program::Program& program, const program::Sizes& sizes,
        Sharing sharing = Sharing::none_then_second, bool calls = false);

  // What the driver prints; `more`: flags for both versions.
  std::string output(const std::string& original, const std::string& scheduled,
                     const std::vector<std::string>& more, int repetitions,
                     double most_seconds = 0);

  // Seconds of the calls of the first version, of the second, and of the second on threads where
  // the driver calls it once more: one each for every repetition.
  std::vector<std::vector<double>> seconds(const std::string& original,
                                           const std::string& scheduled,
                                           const std::vector<std::string>& more, int repetitions,
                                           double most_seconds = 0);

 private:
  int threads() const { return request_.code.processor.threads; }
  void write(const std::string& name, const std::string& text) const;
  void compile(const std::string& part, const std::vector<std::string>& more) const;

  const MeasureRequest& request_;
  std::string name_;
  std::vector<std::string> blas_;  // to link with
  process::Folder folder_;
  // Text and flags of the object files that are there.
  std::map<std::string, std::pair<std::string, std::vector<std::string>>> compiled_;
};

}  // namespace redblue::measure_detail
