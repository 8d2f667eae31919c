// SPDX-License-Identifier: BSD-3-Clause
// What a bound says as a formula: how much fast memory halves the traffic, and from where on more
// of it does not pay.
//   formula
#include <cmath>
#include <cstdio>
#include <redblue/analysis.hpp>
#include <redblue/error.hpp>

int main() try {
  redblue::BoundRequest request;
  request.einsum = "ij,jk->ik";
  const redblue::BoundReport report = redblue::lower_bounds(request);
  const redblue::LowerBound& best = report.bounds[report.best];

  const redblue::Formula square =
      best.leading.with({{"Ni", "n"}, {"Nj", "n"}, {"Nk", "n"}});  // of n x n matrices
  std::printf("words     %s\n", square.text().c_str());
  std::printf("in LaTeX  %s\n", square.latex().c_str());
  std::printf("in Python %s\n", square.python().c_str());

  const redblue::Formula more = square.with({{"S", "4*S"}});
  std::printf("with 4 S  %s%s\n", more.text().c_str(),
              more == "n^3/sqrt(S)" ? ", half as many" : "");
  const redblue::Formula gain = square.derivative("S");
  std::printf("by S      %s: a word more saves %.0f at n = 1000, S = 10000\n", gain.text().c_str(),
              std::abs(gain.at({{"n", 1000}, {"S", 10000}})));
  return more == "n^3/sqrt(S)" && gain == "-n^3/S^(3/2)" ? 0 : 1;
} catch (const redblue::Error& error) {
  std::fprintf(stderr, "formula: %s\n", error.what());
  return 2;
}
