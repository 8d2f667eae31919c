# SPDX-License-Identifier: BSD-3-Clause
# Headers, CMake package and pkg-config file of the libraries that are built.

include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY REDBLUE_LIBRARIES)
if(NOT libraries)
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/redblue)
install(TARGETS ${libraries} EXPORT redblue
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/redblue DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT redblue NAMESPACE redblue:: DESTINATION ${package_dir})
configure_package_config_file(cmake/redblueConfig.cmake.in redblueConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(redblueConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/redblueConfig.cmake ${PROJECT_BINARY_DIR}/redblueConfigVersion.cmake
  cmake/FindIsl.cmake cmake/FindGiNaC.cmake cmake/FindLibClang.cmake cmake/FindLibLLVM.cmake cmake/FindGraphviz.cmake
  DESTINATION ${package_dir})

# pkg-config: static libraries need what they were built on. libredblue_scalapack is linked or
# preloaded by name.
set(pc_libraries "")
set(pc_private "")
foreach(library linalg model analysis covering)
  if(TARGET redblue_${library})
    string(APPEND pc_libraries " -lredblue_${library}")
  endif()
endforeach()
if(REDBLUE_LINALG)
  # those that were found, whatever their vendor
  set(pc_blas ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})
  list(REMOVE_DUPLICATES pc_blas)
  list(JOIN pc_blas " " pc_blas)
  string(APPEND pc_private " ${pc_blas}")
  set(pc_requires "ompi-c")
  if(MPI_CXX_LIBRARIES MATCHES mpich)
    set(pc_requires "mpich")
  endif()
endif()
if(REDBLUE_MODEL)
  string(APPEND pc_private " -ltomlplusplus")
endif()
if(REDBLUE_ANALYSIS)
  string(APPEND pc_private " -lisl -lginac -lcln ${LIBCLANG_LIBRARY} ${LIBLLVM_LIBRARY} -lgvc -lcgraph")
endif()
file(RELATIVE_PATH pc_prefix_from_pcfiledir /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/redblue.pc.in redblue.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/redblue.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
