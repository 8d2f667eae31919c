# SPDX-License-Identifier: BSD-3-Clause
# redblue in front of ScaLAPACK.

# Debian's own testers of ScaLAPACK, with redblue in front: tester(NAME SCRIPT ARGUMENT...). Most take
# every type on their own grids, and some of the types on other grids: KIND TYPE RANKS ROWS COLUMNS.
function(tester name script)
  redblue_ranks_test(scalapack/${name} TIMEOUT 200
    COMMAND ${PROJECT_SOURCE_DIR}/tests/scalapack/${script} $<TARGET_FILE:redblue_scalapack> ${ARGN})
endfunction()
foreach(type s d c z)
  tester(p${type}blas_tester_on_4_ranks pblas_tester ${type} 4)
  tester(p${type}blas_tester_on_12_ranks pblas_tester ${type} 12 "3 2 4 1" "4 5 3 7")
  tester(p${type}trsv_tester_on_4_ranks pblas2_tester ${type})
  tester(inverse_tester_${type}_on_4_ranks inverse_tester ${type} 4)
  tester(standard_form_tester_${type}_on_4_ranks standard_form_tester ${type} 4)
  foreach(kind lu llt)
    tester(${kind}_tester_${type}_on_4_ranks factor_tester ${kind} ${type} 4)
  endforeach()
  foreach(kind qr ls)
    tester(${kind}_tester_${type}_on_4_ranks qr_tester ${kind} ${type} 4)
    tester(${kind}_tester_${type}_on_6_ranks qr_tester ${kind} ${type} 6 "3 2 6 1" "2 3 1 6")
  endforeach()
endforeach()
tester(inverse_tester_d_on_6_ranks inverse_tester d 6 "3 2 6 1" "2 3 1 6")
tester(inverse_tester_z_on_12_ranks inverse_tester z 12 "3 4 2 12" "4 3 6 1")
tester(inverse_tester_d_on_16_ranks inverse_tester d 16 "4 2 8 16" "4 8 2 1")
foreach(kind lu llt)
  tester(${kind}_tester_d_on_6_ranks factor_tester ${kind} d 6 "3 2 6 1" "2 3 1 6")
  tester(${kind}_tester_z_on_12_ranks factor_tester ${kind} z 12 "3 4 2 12" "4 3 6 1")
  tester(${kind}_tester_d_on_16_ranks factor_tester ${kind} d 16 "4 2 8 16" "4 8 2 1")
endforeach()
foreach(kind qr ls)
  tester(${kind}_tester_z_on_12_ranks qr_tester ${kind} z 12 "3 4 2 12" "4 3 6 1")
  tester(${kind}_tester_d_on_16_ranks qr_tester ${kind} d 16 "4 2 8 16" "4 8 2 1")
endforeach()

foreach(ranks 4 6)
  redblue_ranks_test(scalapack/cp2k_on_${ranks}_ranks TIMEOUT 200
    COMMAND ${PROJECT_SOURCE_DIR}/tests/scalapack/cp2k $<TARGET_FILE:redblue_scalapack> ${ranks})
endforeach()

# Applications whose packages are here; the first three belong to `scripts/install-packages check`.
function(application_test name needed)
  if(NOT EXISTS ${needed})
    message(STATUS "${name} is not installed: its run with redblue preloaded is left out")
    return()
  endif()
  redblue_ranks_test(scalapack/application_${name}
    COMMAND ${PROJECT_SOURCE_DIR}/bench/applications/compare $<TARGET_FILE:redblue_scalapack> 4 ${name})
endfunction()
set(of_petsc x86_64-linux-gnu-real/lib/python3/dist-packages)
application_test(petsc /usr/lib/petscdir/petsc3.18/${of_petsc})
application_test(mumps /usr/lib/petscdir/petsc3.18/${of_petsc})
application_test(slepc /usr/lib/slepcdir/slepc3.18/${of_petsc})
application_test(espresso /usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz)
application_test(nwchem /usr/bin/nwchem.openmpi)
application_test(gpaw /usr/share/gpaw-setups)

# A program that uses ScaLAPACK's names, linked with redblue in front of it.
find_library(SCALAPACK_LIBRARY NAMES scalapack-openmpi scalapack REQUIRED)
redblue_test_program(surface_ranks_test scalapack/surface_ranks_test.cpp
  LIBRARIES redblue_scalapack redblue_matgen redblue_linalg ${SCALAPACK_LIBRARY})
foreach(ranks 1 2 3 4 6 9)
  redblue_ranks_test(scalapack/surface_on_${ranks}_ranks ENVIRONMENT REDBLUE_MIN_WORK=0 TIMEOUT 120
    RANKS ${ranks} COMMAND $<TARGET_FILE:surface_ranks_test>)
endforeach()
redblue_test_program(manners_ranks_test scalapack/manners_ranks_test.cpp
  LIBRARIES redblue_scalapack redblue_linalg ${SCALAPACK_LIBRARY})
foreach(ranks 1 4 5)
  redblue_ranks_test(scalapack/manners_on_${ranks}_ranks ENVIRONMENT REDBLUE_MIN_WORK=0
    RANKS ${ranks} COMMAND $<TARGET_FILE:manners_ranks_test> 10000)
endforeach()
redblue_ranks_test(scalapack/manners_among_threads ENVIRONMENT REDBLUE_MIN_WORK=0 TIMEOUT 120
  RANKS 3 COMMAND $<TARGET_FILE:manners_ranks_test> 100 multiple)
redblue_test_program(limited_ranks_test scalapack/limited_ranks_test.cpp
  LIBRARIES redblue_scalapack redblue_linalg ${SCALAPACK_LIBRARY})
redblue_ranks_test(scalapack/limited_memory TIMEOUT 200
  COMMAND ${PROJECT_SOURCE_DIR}/tests/scalapack/limited_memory $<TARGET_FILE:limited_ranks_test>)
# Random calls; more of them, with sanitizers: bench/random_calls.
redblue_test_program(random_calls scalapack/random_calls.cpp
  LIBRARIES redblue_scalapack redblue_linalg ${SCALAPACK_LIBRARY} LAPACK::LAPACK BLAS::BLAS)
foreach(ranks 1 4 7)
  redblue_ranks_test(scalapack/random_calls_on_${ranks}_ranks ENVIRONMENT REDBLUE_MIN_WORK=0 TIMEOUT 200
    RANKS ${ranks} COMMAND $<TARGET_FILE:random_calls> ${ranks}000 300)
endforeach()
# Values and rules alone, without MPI.
redblue_test(scalapack_test scalapack scalapack/serving/experience_test.cpp
  ${PROJECT_SOURCE_DIR}/src/scalapack/serving/experience.cpp ${PROJECT_SOURCE_DIR}/src/scalapack/serving/settings.cpp)
redblue_test_program(same_answers scalapack/same_answers.cpp LIBRARIES MPI::MPI_CXX ${SCALAPACK_LIBRARY})
redblue_ranks_test(scalapack/same_answers TIMEOUT 130
  COMMAND ${PROJECT_SOURCE_DIR}/tests/scalapack/same_answers
  $<TARGET_FILE:same_answers> $<TARGET_FILE:redblue_scalapack>)
# The page of a preloaded program. cli/report_pages opens one in Chromium.
redblue_ranks_test(scalapack/report_page TIMEOUT 200
  COMMAND ${PROJECT_SOURCE_DIR}/tests/scalapack/report_page $<TARGET_FILE:redblue_scalapack>
    $<TARGET_FILE:same_answers> $<TARGET_FILE:manners_ranks_test>)
redblue_test_program(qr_surface_ranks_test scalapack/qr_surface_ranks_test.cpp
  LIBRARIES redblue_scalapack redblue_linalg ${SCALAPACK_LIBRARY})
foreach(ranks 1 2 4 6)
  redblue_ranks_test(scalapack/qr_surface_on_${ranks}_ranks ENVIRONMENT REDBLUE_MIN_WORK=0 TIMEOUT 120
    RANKS ${ranks} COMMAND $<TARGET_FILE:qr_surface_ranks_test>)
endforeach()
redblue_ranks_test(scalapack/wrong_arguments ENVIRONMENT REDBLUE_MIN_WORK=0 TIMEOUT 120
  COMMAND ${PROJECT_SOURCE_DIR}/tests/scalapack/wrong_arguments
  $<TARGET_FILE:surface_ranks_test>)
