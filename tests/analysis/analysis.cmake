# SPDX-License-Identifier: BSD-3-Clause
# The libraries of bounds, counting and schedules.

redblue_test(symbolic_test analysis symbolic/expr_test.cpp symbolic/formula_test.cpp symbolic/parse_test.cpp)
redblue_test(program_test analysis program/count_test.cpp program/enumerate_test.cpp program/instances_test.cpp program/straighten_test.cpp)
redblue_test(frontend_test analysis frontend/c_test.cpp frontend/einsum_test.cpp frontend/idioms_test.cpp frontend/macros_test.cpp
  frontend/outputs_test.cpp frontend/python_test.cpp frontend/cpp_test.cpp frontend/corpus_test.cpp frontend/fortran_test.cpp)
add_test(NAME frontend/python_arrays
  COMMAND ${REDBLUE_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/frontend/python_arrays_test.py
    ${PROJECT_SOURCE_DIR}/src/frontend/python)
redblue_test(bounds_test analysis bounds/contraction_test.cpp bounds/footprint/linear_program_test.cpp bounds/footprint/footprint_program_test.cpp
  analysis/gemm_bound_test.cpp analysis/portfolio_test.cpp analysis/kernels_test.cpp bounds/isoperimetry/lattice_growth_test.cpp
  bounds/isoperimetry/isoperimetry_test.cpp bounds/isoperimetry/rim_test.cpp bounds/isoperimetry/staggered_test.cpp bounds/soundness_test.cpp bounds/projection/symmetric_product_test.cpp bounds/projection/crossing_chains_test.cpp bounds/projection/pairs_test.cpp
  bounds/interval_table_test.cpp bounds/phases_test.cpp bounds/busiest/even_shares_test.cpp bounds/busiest/ties_test.cpp bounds/busiest/apart_test.cpp bounds/busiest/least_footprint_test.cpp
  analysis/printed_formula_test.cpp)
# The lemmas of docs/methods on small cases.
add_test(NAME methods/lemmas COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/methods/lemmas_test.py)
add_test(NAME methods/staggered COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/methods/staggered_test.py)
add_test(NAME methods/qr_lemmas COMMAND ${REDBLUE_PYTHON3} ${PROJECT_SOURCE_DIR}/bench/qr_bound 200)
redblue_test(cdag_test analysis cdag/brute_force.cpp cdag/graph_test.cpp cdag/games_test.cpp cdag/exact_test.cpp
  cdag/schedule_test.cpp cdag/partition_test.cpp cdag/decomposition_test.cpp cdag/wavefront_test.cpp cdag/interval_test.cpp cdag/corpus_test.cpp
  cdag/scale_test.cpp cdag/partial_test.cpp cdag/hdag_test.cpp)
redblue_test(tradeoff_test analysis tradeoff/lattice_test.cpp tradeoff/parallel_schedule.cpp
  tradeoff/soundness_test.cpp tradeoff/products_test.cpp tradeoff/known_schedules_test.cpp)
redblue_test(analysis_perf_test analysis perf/analysis_perf_test.cpp)
redblue_test(schedule_test analysis schedule/emitted.cpp schedule/schedule_test.cpp
  schedule/calls_test.cpp schedule/loop_choice_test.cpp schedule/private_arrays_test.cpp schedule/ast_text_test.cpp schedule/traffic_test.cpp schedule/known_loops_test.cpp schedule/loop_parts_test.cpp schedule/sampled_test.cpp schedule/value_readers_test.cpp schedule/independent_first_test.cpp
  schedule/interchange_test.cpp schedule/shifted_test.cpp schedule/late_tiles_test.cpp schedule/cone_tiles_test.cpp
  schedule/updates_test.cpp schedule/in_parts_test.cpp process/ahead_test.cpp)
redblue_test(measure_test analysis schedule/emitted.cpp measure/measure_test.cpp measure/fortran_test.cpp
  measure/levels_test.cpp measure/search_test.cpp)
# For bench/random_programs.
redblue_test_program(every_order schedule/every_order.cpp LIBRARIES redblue_analysis Isl::isl)
# 300 random programs; `bench/random_programs_bounds BUILD 5000` takes all that a release is held against.
redblue_test_program(random_programs random_programs/random_programs.cpp random_programs/generator.cpp
  LIBRARIES redblue_analysis)
foreach(first 1 101 201)
  add_test(NAME bounds/random_programs_from_${first} COMMAND random_programs 100 ${first})
  set_tests_properties(bounds/random_programs_from_${first} PROPERTIES TIMEOUT 2400)
endforeach()
# isl gave up while it wrote a number, and the command ended with a signal.
add_test(NAME bounds/random_program_where_isl_gives_up COMMAND random_programs --seed 24021)
# isl lost constraints of a union of elements with and without a stride: 24 words were asked of 23.
add_test(NAME bounds/random_program_with_a_stride COMMAND random_programs --seed 32740)
redblue_test(sweeps_test analysis sweeps/sweeps_test.cpp sweeps/generator.cpp)
add_executable(random_stencil sweeps/random_stencil.cpp sweeps/generator.cpp)
redblue_settings(random_stencil)
redblue_test(counting_test analysis counting/interpreter.cpp counting/nests.cpp counting/table_test.cpp counting/random_test.cpp
  counting/program_test.cpp counting/source_test.cpp counting/paper_test.cpp counting/sum_test.cpp counting/begun_test.cpp)
# Random nests as C source through the front end: 40 here, more by hand.
add_test(NAME counting/random_sources
  COMMAND ${PROJECT_SOURCE_DIR}/bench/random_nests $<TARGET_FILE:redblue> 40 1)
set_tests_properties(counting/random_sources PROPERTIES TIMEOUT 1200)
foreach(test symbolic_test program_test frontend_test bounds_test cdag_test schedule_test counting_test)
  target_link_libraries(${test} PRIVATE Isl::isl GiNaC::ginac LibClang::libclang)
endforeach()
