// SPDX-License-Identifier: BSD-3-Clause
// A planned summation of random tensors, as run and compare einsum execute it.
#pragma once

#include <vector>

#include "cli/einsum/einsum_options.hpp"
#include "matgen/einsum_check.hpp"
#include "redblue/einsum_plan.hpp"

namespace redblue::cli {

template <class T>
struct RandomEinsum {
  EinsumPlan<T> plan;
  std::vector<std::vector<T>> arrays;  // this rank's parts of the operands
  std::vector<T> result;

  // Collective.
  RandomEinsum(const EinsumPlanRequest& request, EinsumOrder order)
      : plan(MPI_COMM_WORLD, request.shape,
             {order, request.memory, request.objective, request.machine, request.layouts}) {
    const std::size_t operands = request.shape.operands();
    for (std::size_t o = 0; o < operands; ++o) arrays.push_back(matgen::random_part(plan, o));
    for (const auto& array : arrays) operands_.push_back(array.data());
    result.resize(static_cast<std::size_t>(plan.owned(operands).value));
  }
  RandomEinsum(const RandomEinsum&) = delete;
  RandomEinsum& operator=(const RandomEinsum&) = delete;

  // Collective.
  void execute() { plan.execute(T(1), operands_, T(0), result.data()); }
  matgen::Residual check(comm::Communicator& world) const {
    return matgen::check_einsum(world, plan, result.data());
  }

 private:
  std::vector<const T*> operands_;
};

}  // namespace redblue::cli
