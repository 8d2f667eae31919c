// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/efficiency.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "linalg/blas/blas.hpp"

namespace redblue::cli {

ExecutionTime of_slowest(comm::Communicator& world, const ExecutionTime& mine) {
  const double longest = world.maximum(mine.seconds);
  // of several ranks that took as long the first
  const int me = world.rank().value;
  const std::int64_t first =
      -world.maximum(mine.seconds == longest ? std::int64_t{-me} : -std::int64_t{world.size()});
  std::vector<double> phases(mine.phases.size());
  if (me == first) std::copy(mine.phases.begin(), mine.phases.end(), phases.begin());
  world.sum(phases);
  ExecutionTime result{longest, {}};
  std::copy(phases.begin(), phases.end(), result.phases.begin());
  return result;
}

template <class T>
double multiplication_rate() {
  constexpr std::int64_t n = std::is_floating_point_v<T> ? 768 : 512;
  const std::vector<T> a(n * n, T(1));
  std::vector<T> c(n * n);
  double best = 0;
  for (int i = 0; i < 4; ++i) {
    const double start = comm::processor_seconds();
    blas::gemm<T>(n, n, n, T(1), {a.data(), n}, {a.data(), n}, T(0), c.data(), n);
    best = std::max(best, 2.0 * n * n * n / (comm::processor_seconds() - start));
  }
  return best;
}

template <class T>
double peak_rate(comm::Communicator& world) {
  const double rate = world.rank().value == 0 ? multiplication_rate<T>() : 0.0;
  std::vector<double> processors = {comm::processor_share()};
  world.sum(processors);
  return processors.front() * world.maximum(rate);
}

template double multiplication_rate<double>();
template double peak_rate<float>(comm::Communicator&);
template double peak_rate<double>(comm::Communicator&);
template double peak_rate<std::complex<float>>(comm::Communicator&);
template double peak_rate<std::complex<double>>(comm::Communicator&);

Json Efficiency::mue() const {
  if (words == 0) return nullptr;
  return transfer_efficiency() * bandwidth_efficiency();
}

Json phases_json(const comm::PhaseSeconds& phases) {
  Json json;
  for (std::size_t p = 0; p < phases.size(); ++p) json[comm::phase_names[p]] = phases[p];
  return json;
}

void add_efficiency(Json& json, const Efficiency& e) {
  json["phases"] = phases_json(e.time.phases);
  json["percent_of_peak"] = e.percent_of_peak();
  json["peak_gflops"] = 1e-9 * e.peak;
  json["mue"] = e.mue();
  json["roofline"] = {{"flops_per_word", e.words == 0 ? Json(nullptr) : Json(e.flops_per_word())},
                      {"balanced_flops_per_word", e.balanced_flops_per_word()}};
}

void print_efficiency(const Efficiency& e) {
  fmt::print("  seconds of the slowest rank");
  for (const char* name : comm::phase_names) fmt::print(" {:>12}", name);
  fmt::print("\n  {:27}", "");
  for (const double s : e.time.phases) fmt::print(" {:12.3g}", s);
  fmt::print("\n  {:27}", "");
  for (const double s : e.time.phases) fmt::print(" {:>10.1f} %", 100 * s / e.time.seconds);
  fmt::print(
      "\n  {:.1f} % of the peak, {:.1f} GFLOP/s (one rank's matrix multiplication, measured now, "
      "times the ranks' processors)\n",
      e.percent_of_peak(), 1e-9 * e.peak);
  if (e.words == 0) return;
  fmt::print(
      "  MUE {:.3g}: Q/D {:.3f}, B/B^ {:.3g}; roofline: {:.3g} FLOPs per word received, {}\n",
      e.mue().get<double>(), e.transfer_efficiency(), e.bandwidth_efficiency(), e.flops_per_word(),
      fmt::format("the network keeps pace from {:.3g} on ({})", e.balanced_flops_per_word(),
                  e.flops_per_word() < e.balanced_flops_per_word() ? "bound by the network"
                                                                   : "bound by the processors"));
}

}  // namespace redblue::cli
