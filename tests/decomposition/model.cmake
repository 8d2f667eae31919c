# SPDX-License-Identifier: BSD-3-Clause
# Plans and models of parallel runs, without MPI.

if(TARGET redblue_covering)
  redblue_test(covering_test covering covering/covering_test.cpp)
endif()

if(REDBLUE_MODEL)
  redblue_test(machine_test model machine/machine_test.cpp)
  redblue_test(stencil_model_test model stencil/model_test.cpp)
  redblue_test(stencil_bound_test model stencil/lower_bound_test.cpp)
  redblue_test(task_graph_test model task_graph/schedule_test.cpp task_graph/timeline_test.cpp)
  redblue_test(model_perf_test model perf/model_perf_test.cpp)
  redblue_test(decomposition_test model decomposition/ownership_test.cpp decomposition/gemm/plan_test.cpp decomposition/gemm/stationary_test.cpp decomposition/gemm/block_columns_test.cpp
    decomposition/doubling_test.cpp decomposition/gemm/trade_off_test.cpp
    decomposition/lower_bound_test.cpp decomposition/parallel_optimum.cpp decomposition/symmetric/triangle_test.cpp decomposition/factor_test.cpp decomposition/cholesky/grid_steps_test.cpp decomposition/solve/trsv_test.cpp
      decomposition/tradeoff_products_test.cpp decomposition/einsum/shape_test.cpp decomposition/einsum/cost_test.cpp
      decomposition/einsum/plan_test.cpp decomposition/einsum/chain/chain_test.cpp decomposition/einsum/chain/homes_test.cpp decomposition/einsum/chain/symmetric_test.cpp
      decomposition/einsum/matricised_test.cpp decomposition/einsum/partition_test.cpp decomposition/einsum/paired_values_test.cpp decomposition/einsum/layers_test.cpp
      decomposition/einsum/bound/rounded_shares_test.cpp)
endif()
