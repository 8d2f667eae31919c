# SPDX-License-Identifier: BSD-3-Clause
# LibLLVM::libLLVM, LLVM 19 as one shared library: IR, its analyses and passes.
find_path(LIBLLVM_INCLUDE_DIR llvm/IR/Module.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_path(LIBLLVM_INCLUDE_DIR llvm/IR/Module.h)
find_library(LIBLLVM_LIBRARY NAMES LLVM-19 PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
find_library(LIBLLVM_LIBRARY NAMES LLVM-19)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibLLVM REQUIRED_VARS LIBLLVM_LIBRARY LIBLLVM_INCLUDE_DIR)
if(LibLLVM_FOUND AND NOT TARGET LibLLVM::libLLVM)
  add_library(LibLLVM::libLLVM UNKNOWN IMPORTED)
  set_target_properties(LibLLVM::libLLVM PROPERTIES IMPORTED_LOCATION ${LIBLLVM_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LIBLLVM_INCLUDE_DIR})
endif()
