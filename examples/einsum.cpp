// SPDX-License-Identifier: BSD-3-Clause
// Bounds of einsums: a tensor expression at once, and cut into a chain of products.
//   einsum
#include <cstdio>
#include <redblue/analysis.hpp>
#include <redblue/einsum.hpp>
#include <string>

static double needed(const std::string& einsum) {
  redblue::BoundRequest request;
  request.einsum = einsum;
  // letter x has Nx values
  request.sizes = {{"Ni", 200}, {"Nj", 200}, {"Nk", 200}, {"Nl", 200}, {"S", 1024}};
  const redblue::BoundReport report = redblue::lower_bounds(request);
  const redblue::LowerBound& best = report.bounds[report.best];
  std::printf("%s\n  at least %.0f words; for large sizes %s\n", einsum.c_str(), *best.value,
              best.leading.text().c_str());
  return *best.value;
}

int main() {
  const std::string at_once = "ij,jk,kl->il";  // one nest of four loops
  const double once = needed(at_once);
  const double chain = needed("T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il");  // two of three
  for (const std::string& hint : redblue::einsum_hints(at_once)) std::printf("%s\n", hint.c_str());
  return chain > 0 && chain < once ? 0 : 1;
}
