# SPDX-License-Identifier: BSD-3-Clause
# Linear algebra, tensors and stencils on several ranks.

redblue_test(layout_test linalg layout/layout_test.cpp layout/index_set_test.cpp
  layout/arrangement_test.cpp)
redblue_test(linalg_test linalg linalg/lu/active_rows_test.cpp linalg/lu/delayed_updates_test.cpp
  linalg/lu/placed_choice_test.cpp linalg/cholesky/placed_choice_test.cpp linalg/solve/caller_blocks_test.cpp linalg/blas/lapack_test.cpp)
redblue_test(placement_test linalg linalg/gemm/placement_test.cpp)
redblue_test(symmetric_in_place_test linalg linalg/symmetric/symmetric_in_place_test.cpp linalg/symmetric/column_order_test.cpp)
# Every rank checks; the program fails when any does.
redblue_test_program(gemm_ranks_test linalg/gemm/gemm_ranks_test.cpp
  LIBRARIES redblue_matgen redblue_linalg)
# Memory limits: a few cases here, 500 in bench/memory_limits.
redblue_test_program(memory_limits linalg/gemm/memory_limits.cpp LIBRARIES redblue_matgen redblue_linalg)
foreach(ranks 4 7 16)
  redblue_ranks_test(linalg/memory_limits_on_${ranks}_ranks TIMEOUT 120
    RANKS ${ranks} COMMAND $<TARGET_FILE:memory_limits> 20 ${ranks}00)
endforeach()
# Counted words beside printed bounds: a few cases here, 300 in bench/random_bounds.
redblue_test_program(random_bounds linalg/random_bounds.cpp LIBRARIES redblue_matgen redblue_linalg)
foreach(ranks 4 7 13)
  redblue_ranks_test(linalg/random_bounds_on_${ranks}_ranks TIMEOUT 120
    RANKS ${ranks} COMMAND $<TARGET_FILE:random_bounds> 21 ${ranks}00)
endforeach()
redblue_test_program(random_ranks_test linalg/random_ranks_test.cpp LIBRARIES redblue_matgen redblue_linalg)
# 96 cases in a row have every algorithm with every type, 16 every solve, 36 every inverse and
# refinement.
foreach(ranks RANGE 1 12)
  redblue_ranks_test(linalg/random_on_${ranks}_ranks RANKS ${ranks} COMMAND $<TARGET_FILE:random_ranks_test>
      --cases 96 --from ${ranks}000)
endforeach()
foreach(ranks RANGE 1 16)
  redblue_ranks_test(linalg/solves_on_${ranks}_ranks RANKS ${ranks} COMMAND $<TARGET_FILE:random_ranks_test>
      --cases 16 --from ${ranks}500 --only trsm,cholesky-solve,lu-solve,system)
endforeach()
foreach(ranks 1 2 3 4 6 7 9 12 16)
  redblue_ranks_test(linalg/inverses_on_${ranks}_ranks
    RANKS ${ranks} COMMAND $<TARGET_FILE:random_ranks_test> --cases 36 --from ${ranks}700
      --only triangular-inverse,triangular-square,cholesky-inverse,lu-inverse,two-sided-solve,two-sided-product,trmm,refinement,condition)
endforeach()
foreach(ranks 1 2 3 4 6 7 12 16)
  redblue_ranks_test(linalg/qr_on_${ranks}_ranks RANKS ${ranks} COMMAND $<TARGET_FILE:random_ranks_test>
      --cases 24 --from ${ranks}700 --only qr)
endforeach()
foreach(ranks 1 2 3 4 5 7 8 11 13 16)
  redblue_ranks_test(linalg/gemm_on_${ranks}_ranks TIMEOUT 120
    RANKS ${ranks} COMMAND $<TARGET_FILE:gemm_ranks_test>)
endforeach()
# bench/random_einsums runs 500 and compares them with NumPy.
redblue_test_program(einsum_ranks_test tensor/einsum_ranks_test.cpp LIBRARIES redblue_matgen redblue_linalg)
foreach(ranks 1 2 3 4 5 7 8 11 13)
  redblue_ranks_test(tensor/random_on_${ranks}_ranks
    RANKS ${ranks} COMMAND $<TARGET_FILE:einsum_ranks_test> 40 ${ranks}000)
endforeach()
redblue_ranks_test(tensor/numpy
  COMMAND ${REDBLUE_PYTHON3} ${PROJECT_SOURCE_DIR}/bench/random_einsums ${PROJECT_BINARY_DIR} 65 1)
# Random C programs through the whole chain: 4 here, more by hand.
if(TARGET random_stencil AND TARGET redblue)
  redblue_ranks_test(stencil/random_sources
    COMMAND ${PROJECT_SOURCE_DIR}/bench/random_stencils $<TARGET_FILE:redblue> $<TARGET_FILE:random_stencil> 4 1)
endif()
# bench/stencil_cases runs 500 and more.
redblue_test_program(stencil_random_test stencil/random_ranks_test.cpp LIBRARIES redblue_linalg)
foreach(ranks 1 2 3 5 7)
  redblue_ranks_test(stencil/random_on_${ranks}_ranks
    RANKS ${ranks} COMMAND $<TARGET_FILE:stencil_random_test>
      --cases 40 --from ${ranks}000)
endforeach()
# GoogleTest on every rank; one algorithm's tests at a time.
redblue_test_program(ranks_test linalg/ranks_main.cpp comm/messages_ranks_test.cpp comm/transfer_ranks_test.cpp
  comm/window_ranks_test.cpp comm/phases_ranks_test.cpp linalg/lu/tournament_ranks_test.cpp linalg/lu/pivot_rows_ranks_test.cpp
  linalg/cholesky/in_place_ranks_test.cpp linalg/symmetric/sums_ranks_test.cpp linalg/solve/substitution_ranks_test.cpp linalg/solve/trsv_ranks_test.cpp
  linalg/qr/conditioned_ranks_test.cpp linalg/on_one_rank_test.cpp task_graph/plans_ranks_test.cpp
  LIBRARIES redblue_matgen redblue_linalg GTest::gtest LAPACK::LAPACK)
function(ranks_test name filter)
  foreach(ranks ${ARGN})
    redblue_ranks_test(${name}_on_${ranks}_ranks
      RANKS ${ranks} COMMAND $<TARGET_FILE:ranks_test> --gtest_brief=1
        --gtest_filter=${filter})
  endforeach()
endfunction()
ranks_test(comm/messages Messages.* 1 2 5)
ranks_test(comm/transfers *Transfer* 1 2 5)
ranks_test(comm/phases Phases.* 2 5)
ranks_test(comm/windows Window.*:Exposure.* 2 5)
ranks_test(linalg/tournament Tournament* 1 2 4 7)
ranks_test(linalg/pivot_rows PivotRows* 1 4 6)
ranks_test(linalg/cholesky_in_place CholeskyInPlace* 1 2 4 6 9)
ranks_test(linalg/syrk_sums SyrkSums* 2 3 5)
ranks_test(linalg/substitution Substitution* 1 4 6 9)
ranks_test(linalg/ill_conditioned IllConditioned* 1 4 6)
ranks_test(linalg/on_one_rank OnOneRank* 1)
ranks_test(task_graph/plans Plans* 1 3 4 7 8 13)
ranks_test(linalg/trsv Trsv/*:TrsvErrors* 1 3 4 7)
ranks_test(linalg/trsv_trade_off TrsvTradeOff* 17)
redblue_test_program(large_message_test linalg/gemm/large_message_test.cpp LIBRARIES redblue_linalg)
redblue_ranks_test(linalg/large_messages LABELS slow SKIP_RETURN_CODE 77
  RANKS 2 COMMAND $<TARGET_FILE:large_message_test>)
