# SPDX-License-Identifier: BSD-3-Clause
# The public headers: each alone, in C++ and redblue.h in C, and all in one source, compile and link
# with the libraries that are built.

file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/redblue/*.hpp ${PROJECT_SOURCE_DIR}/include/redblue/*.h)
set(headers_libraries "")
foreach(library analysis model linalg scalapack)
  if(TARGET redblue_${library})
    list(APPEND headers_libraries redblue_${library})
  endif()
endforeach()

set(folder ${CMAKE_CURRENT_BINARY_DIR}/headers)
set(header_sources "")
set(include_all "")
foreach(header ${public_headers})
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/${header} needs_mpi REGEX "redblue/(linalg|gemm|redistribution|factor).hpp\"|<mpi.h>")
  if(needs_mpi AND NOT TARGET redblue_linalg)
    continue()
  endif()
  string(APPEND include_all "#include \"${header}\"\n")
  string(MAKE_C_IDENTIFIER ${header} name)
  set(language cpp)
  if(header MATCHES "\\.h$")
    set(language c)
  endif()
  # twice: include guards
  file(CONFIGURE OUTPUT ${folder}/${name}.${language}
    CONTENT "#include \"${header}\"\n#include \"${header}\"\nextern int ${name};\nint ${name} = 1;\n")
  list(APPEND header_sources ${folder}/${name}.${language})
endforeach()
file(CONFIGURE OUTPUT ${folder}/all_headers.hpp CONTENT "${include_all}")

add_executable(headers_test headers/headers_test.cpp ${header_sources})
target_include_directories(headers_test PRIVATE ${folder} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(headers_test PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Werror)
target_compile_definitions(headers_test PRIVATE
  REDBLUE_HAS_ANALYSIS=$<TARGET_EXISTS:redblue_analysis> REDBLUE_HAS_MODEL=$<TARGET_EXISTS:redblue_model>
  REDBLUE_HAS_LINALG=$<TARGET_EXISTS:redblue_linalg>)
target_link_libraries(headers_test PRIVATE ${headers_libraries} GTest::gtest_main)
gtest_discover_tests(headers_test TEST_PREFIX "headers_test/")

# clang knows warnings that g++ does not have, and the other way round.
find_program(CLANGXX NAMES clang++-19 clang++)
if(CLANGXX)
  set(include_flags "")
  foreach(directory ${MPI_CXX_INCLUDE_DIRS})
    list(APPEND include_flags -isystem ${directory})
  endforeach()
  add_test(NAME headers/by_clang COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/headers/compile ${CLANGXX} ${folder}
    -I${folder} -I${PROJECT_SOURCE_DIR}/include ${include_flags})
endif()
