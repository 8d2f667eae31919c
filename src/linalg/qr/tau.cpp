// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/qr/tau.hpp"
#include "comm/number.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace redblue::linalg {

namespace {

// Numbers that one rank has and the others have as zeros.
template <class T>
void sum(comm::Communicator& communicator, std::vector<T>& values) {
  std::vector<std::complex<double>> all;
  for (const T& x : values) all.emplace_back(std::real(x), std::imag(x));
  communicator.sum(all);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if constexpr (std::is_floating_point_v<T>) {
      values[j] = static_cast<T>(all[j].real());
    } else {
      values[j] = static_cast<T>(all[j]);
    }
  }
}

}  // namespace

template <class T>
std::vector<T> whole_tau(comm::Communicator& communicator, const BlockCyclic& layout,
                         const T* local) {
  std::vector<T> tau(static_cast<std::size_t>(std::min(layout.rows, layout.columns)));
  // of the grid's first row
  const auto end = layout.ranks.begin() + layout.across.processes;
  const auto found = std::find(layout.ranks.begin(), end, communicator.rank());
  for (std::size_t j = 0; j < tau.size() && found != end; ++j) {
    const std::int64_t column = layout.first_column + static_cast<std::int64_t>(j);
    if (layout.across.owner(column) != found - layout.ranks.begin()) continue;
    tau[j] = local[layout.across.local(column)];
  }
  sum(communicator, tau);
  return tau;
}

template <class T>
void tell_tau(comm::Communicator& communicator, Rank first, std::vector<T>& tau) {
  if (communicator.rank() != first) std::fill(tau.begin(), tau.end(), T(0));
  sum(communicator, tau);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                          \
  template std::vector<T> whole_tau(comm::Communicator&, const BlockCyclic&, const T*); \
  template void tell_tau(comm::Communicator&, Rank, std::vector<T>&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
