// SPDX-License-Identifier: BSD-3-Clause
// What plan and run share for syrk, syr2k, symm, cholesky, lu, qr and trsm.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "cli/linalg/model_options.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/syrk_model.hpp"

namespace redblue::cli {

enum class Kernel { syrk, syr2k, symm, cholesky, lu, qr, trsm };

// Those on triangle blocks, which have a shape n x k and no blocks of their own.
inline bool is_symmetric(Kernel kernel) {
  return kernel == Kernel::syrk || kernel == Kernel::syr2k || kernel == Kernel::symm;
}

// -m -n -k --block --replicas --exchange --memory --machine --minimise, as text until they are
// read.
struct FactorOptionTexts {
  std::string m, n, k, block, replicas, exchange;
  ModelOptionTexts model;

  void add_to(CLI::App& command, Kernel kernel);
  SyrkPlanRequest syrk(int ranks) const;
  FactorOptions factor() const;
  std::int64_t columns() const;           // -n
  std::int64_t right_hand_sides() const;  // -k
  std::int64_t rows() const;              // -m, by default -n
};

// Multiplications of LU of an m x n matrix, leading terms: mn s - (m+n) s^2 / 2 + s^3 / 3, s the
// smaller size.
double lu_products(std::int64_t m, std::int64_t n);
// Of QR: mn s - (m+n) s^2 / 2 + s^3 / 3 for V^H A, and as many for V W.
inline double qr_products(std::int64_t m, std::int64_t n) {
  return 2 * lu_products(m, n);
}

}  // namespace redblue::cli
