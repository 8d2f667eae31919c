# SPDX-License-Identifier: BSD-3-Clause
# The Python package, from the build tree.

if(TARGET redblue_python_analysis AND TARGET redblue AND NOT REDBLUE_SANITIZE)
  execute_process(COMMAND ${REDBLUE_PYTHON3} -c "import numpy, sympy, networkx" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
  if(lacking)
    message(STATUS "The tests of the Python package are left out: ${REDBLUE_PYTHON3} lacks numpy, sympy or networkx")
  else()
    set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python;REDBLUE_CACHE_DIR=${PROJECT_BINARY_DIR}/python/cache;${mpi_environment}")
    function(redblue_python_test name)
      add_test(NAME python/${name} COMMAND ${ARGN})
      set_tests_properties(python/${name} PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 600)
    endfunction()
    set(here ${CMAKE_CURRENT_SOURCE_DIR}/python)
    redblue_python_test(analysis ${REDBLUE_PYTHON3} ${here}/analysis_test.py $<TARGET_FILE:redblue> ${PROJECT_SOURCE_DIR})
    redblue_python_test(kernels ${REDBLUE_PYTHON3} ${here}/kernels_test.py)
    redblue_python_test(leaks ${REDBLUE_PYTHON3} ${here}/leaks_test.py)
    redblue_python_test(tutorial ${REDBLUE_PYTHON3} ${PROJECT_SOURCE_DIR}/examples/python/tutorial.py)
    execute_process(COMMAND ${REDBLUE_PYTHON3} -c "import mpi4py" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
    if(TARGET redblue_python_linalg AND NOT lacking)
      # The page runs mpirun, too.
      redblue_python_test(manual ${REDBLUE_PYTHON3} ${here}/manual_test.py ${PROJECT_SOURCE_DIR}/docs/python.md)
      redblue_python_test(distributed ${MPIEXEC_EXECUTABLE} -n 4 ${REDBLUE_PYTHON3}
        ${PROJECT_SOURCE_DIR}/examples/python/distributed.py)
      foreach(ranks 1 4 7)
        redblue_python_test(matrices_on_${ranks}_ranks ${MPIEXEC_EXECUTABLE} -n ${ranks} ${REDBLUE_PYTHON3}
          ${here}/matrices_ranks_test.py)
        list(APPEND with_ranks python/matrices_on_${ranks}_ranks)
      endforeach()
      set_tests_properties(python/manual python/distributed ${with_ranks} PROPERTIES ${of_several_ranks})
    else()
      message(STATUS "The tests of redblue.Matrix are left out: ${REDBLUE_PYTHON3} has no mpi4py, or REDBLUE_LINALG is off")
    endif()
    # pip's way takes a build of its own.
    add_test(NAME python/wheel COMMAND ${PROJECT_SOURCE_DIR}/tests/package/python_wheel ${PROJECT_SOURCE_DIR})
    set_tests_properties(python/wheel PROPERTIES LABELS perf TIMEOUT 3600)
  endif()
endif()
