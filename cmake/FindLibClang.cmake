# SPDX-License-Identifier: BSD-3-Clause
# LibClang::libclang, the C interface of clang 19.
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h)
find_library(LIBCLANG_LIBRARY NAMES clang-19 clang PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
find_library(LIBCLANG_LIBRARY NAMES clang-19 clang)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibClang REQUIRED_VARS LIBCLANG_LIBRARY LIBCLANG_INCLUDE_DIR)
if(LibClang_FOUND AND NOT TARGET LibClang::libclang)
  add_library(LibClang::libclang UNKNOWN IMPORTED)
  set_target_properties(LibClang::libclang PROPERTIES IMPORTED_LOCATION ${LIBCLANG_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LIBCLANG_INCLUDE_DIR})
endif()
