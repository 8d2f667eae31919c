// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/experience.hpp"

#include <algorithm>

namespace redblue::scalapack {

namespace {

// 16, 64, 256, ..
bool is_time_to_retry(std::int64_t call) {
  constexpr std::int64_t first = 16;
  constexpr std::int64_t factor = 4;
  while (call > first && call % factor == 0) call /= factor;
  return call == first;
}

}  // namespace

Server Experience::ahead() const {
  return redblue_.best <= scalapack_.best ? Server::redblue : Server::scalapack;
}

bool Experience::is_trial(Server behind) const {
  constexpr double close = 1.2;
  constexpr double hopeless = 2;
  constexpr std::int64_t enough = 3;
  const double ratio = best(behind) / best(other(behind));
  if (ratio <= close && tried(behind) < enough) return true;
  return ratio <= hopeless && is_time_to_retry(calls_ + 1);
}

Server Experience::next() const {
  constexpr std::int64_t of_expected = 2;
  if (tried(expected_) < of_expected) return expected_;
  if (tried(other(expected_)) < 1) return other(expected_);
  const Server behind = other(ahead());
  return is_trial(behind) ? behind : ahead();
}

bool Experience::is_settled() const {
  return tried(Server::redblue) > 0 && tried(Server::scalapack) > 0 &&
         ahead() == Server::scalapack && next() == Server::scalapack;
}

void Experience::add(Server server, double seconds) {
  Trials& t = server == Server::redblue ? redblue_ : scalapack_;
  ++t.count;
  t.best = std::min(t.best, seconds);
}

}  // namespace redblue::scalapack
