# SPDX-License-Identifier: BSD-3-Clause
# The command, and the package that is installed.

if(TARGET redblue)
  redblue_test(page_test page page/labels_test.cpp)

  # The command as a user runs it, alone and under mpirun.
  add_executable(cli_test
    cli/process.cpp
    cli/analysis/bound_cli_test.cpp
    cli/compare/compare_cli_test.cpp
    cli/analysis/count_cli_test.cpp
    cli/linalg/critical_cli_test.cpp
    cli/linalg/efficiency_cli_test.cpp
    cli/errors_cli_test.cpp
    cli/linalg/factor_cli_test.cpp
    cli/pebble/pebble_cli_test.cpp
    cli/einsum/einsum_cli_test.cpp
    cli/linalg/plan_cli_test.cpp
    cli/analysis/schedule_cli_test.cpp
    cli/analysis/measure_cli_test.cpp
    cli/linalg/run_cli_test.cpp
    cli/linalg/symmetric_cli_test.cpp
    cli/stencil/stencil_source_cli_test.cpp
    cli/analysis/tradeoff_cli_test.cpp
    cli/report/report_cli_test.cpp
    cli/serve/serve_cli_test.cpp
    cli/linalg/traffic_cli_test.cpp)
  redblue_settings(cli_test)
  target_link_libraries(cli_test PRIVATE GTest::gtest_main nlohmann_json::nlohmann_json)
  target_compile_definitions(cli_test PRIVATE REDBLUE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    REDBLUE_COMMAND="$<TARGET_FILE:redblue>" MPIRUN_COMMAND="${MPIEXEC_EXECUTABLE}")
  add_dependencies(cli_test redblue)
  # What these suites run has one process.
  set(alone "Balance.*:Bound.*:CountCommand.*:Explain.*:MeasureCommand.*:Pebble.*:Plan.*:Report.*:Tile.*:Tradeoff.*")
  gtest_discover_tests(cli_test TEST_PREFIX "cli/" TEST_FILTER "${alone}" TEST_LIST cli_alone PROPERTIES TIMEOUT 300)
  gtest_discover_tests(cli_test TEST_PREFIX "cli/" TEST_FILTER "-Ranks/*:${alone}" TEST_LIST cli_quick
    PROPERTIES ${of_several_ranks} TIMEOUT 300)
  gtest_discover_tests(cli_test TEST_PREFIX "cli/" TEST_FILTER "Ranks/*" TEST_LIST cli_slow
    PROPERTIES ${of_several_ranks} TIMEOUT 600 LABELS slow)
  if(REDBLUE_ANALYSIS AND HTTPLIB_FOUND)
    # The server and hostile inputs: a few here, 1,000 by hand.
    add_test(NAME cli/serve_hostile_inputs
      COMMAND ${PROJECT_SOURCE_DIR}/bench/hostile_inputs ${PROJECT_BINARY_DIR} --cases 30 --kinds include,text,python)
    set_tests_properties(cli/serve_hostile_inputs PROPERTIES TIMEOUT 300)
  endif()
  if(REDBLUE_ANALYSIS AND REDBLUE_LINALG)
    # Pages, made and opened in Chromium where there is one: some small ones here, all and with pictures by hand.
    redblue_ranks_test(cli/report_pages
      COMMAND ${PROJECT_SOURCE_DIR}/bench/reports ${PROJECT_BINARY_DIR} --quick runs)
    add_test(NAME cli/report_pages_of_kernels
      COMMAND ${PROJECT_SOURCE_DIR}/bench/reports ${PROJECT_BINARY_DIR} --quick some)
    set_tests_properties(cli/report_pages_of_kernels PROPERTIES PROCESSORS 2 TIMEOUT 600)
  endif()
  if(REDBLUE_LINALG)
    # A library that `redblue compare` loads instead of ScaLAPACK.
    add_library(collective_peer MODULE cli/compare/collective_peer.cpp)
    redblue_settings(collective_peer)
    find_library(BLACS_LIBRARY NAMES scalapack-openmpi scalapack REQUIRED)
    target_link_libraries(collective_peer PRIVATE MPI::MPI_CXX BLAS::BLAS ${BLACS_LIBRARY})
    add_dependencies(cli_test collective_peer)
    target_compile_definitions(cli_test PRIVATE COLLECTIVE_PEER="$<TARGET_FILE:collective_peer>")
    # What it counts of every MPI call. The Fortran bindings are to find its functions, as in the command.
    add_executable(message_counts_ranks_test trace/message_counts_ranks_test.cpp
      ${PROJECT_SOURCE_DIR}/src/trace/message_counts.cpp ${PROJECT_SOURCE_DIR}/src/trace/calls.cpp
      ${PROJECT_SOURCE_DIR}/src/trace/recorder.cpp)
    redblue_settings(message_counts_ranks_test)
    set_target_properties(message_counts_ranks_test PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(message_counts_ranks_test PRIVATE redblue_linalg MPI::MPI_CXX ${CMAKE_DL_LIBS})
    foreach(ranks 2 3 5 8)
      redblue_ranks_test(trace/message_counts_on_${ranks}_ranks TIMEOUT 120
        RANKS ${ranks} COMMAND $<TARGET_FILE:message_counts_ranks_test>)
    endforeach()
    redblue_test_program(known_messages trace/known_messages.cpp LIBRARIES MPI::MPI_CXX)
    redblue_ranks_test(trace/trace TIMEOUT 200
      COMMAND ${REDBLUE_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/trace/trace_test.py
      $<TARGET_FILE:redblue> $<TARGET_FILE:known_messages> $<TARGET_FILE:limited_ranks_test> $<TARGET_FILE:redblue_scalapack>)
  endif()
  add_test(NAME bench/table COMMAND ${PROJECT_SOURCE_DIR}/tests/bench/table ${PROJECT_BINARY_DIR})
  set_tests_properties(bench/table PROPERTIES TIMEOUT 300)
  add_test(NAME bench/random_programs
    COMMAND ${PROJECT_SOURCE_DIR}/tests/bench/random_programs ${PROJECT_BINARY_DIR})
  set_tests_properties(bench/random_programs PROPERTIES TIMEOUT 600)
  redblue_ranks_test(package/outside_project LABELS slow COMMAND ${PROJECT_SOURCE_DIR}/tests/package/check
    ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
endif()
add_test(NAME package/version COMMAND ${PROJECT_SOURCE_DIR}/tests/package/version ${PROJECT_BINARY_DIR})
