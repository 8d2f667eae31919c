# SPDX-License-Identifier: BSD-3-Clause
# GiNaC::ginac, with CLN, which its headers use.
find_path(GINAC_INCLUDE_DIR ginac/ginac.h)
find_library(GINAC_LIBRARY ginac)
find_library(CLN_LIBRARY cln)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GiNaC REQUIRED_VARS GINAC_LIBRARY CLN_LIBRARY GINAC_INCLUDE_DIR)
if(GiNaC_FOUND AND NOT TARGET GiNaC::ginac)
  add_library(GiNaC::ginac UNKNOWN IMPORTED)
  set_target_properties(GiNaC::ginac PROPERTIES IMPORTED_LOCATION ${GINAC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${GINAC_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${CLN_LIBRARY})
endif()
