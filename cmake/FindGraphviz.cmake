# SPDX-License-Identifier: BSD-3-Clause
# Graphviz::cgraph (graphs in files) and Graphviz::gvc (layout).
find_path(Graphviz_INCLUDE_DIR graphviz/cgraph.h)
find_library(Graphviz_CGRAPH cgraph)
find_library(Graphviz_GVC gvc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Graphviz REQUIRED_VARS Graphviz_CGRAPH Graphviz_GVC Graphviz_INCLUDE_DIR)
if(Graphviz_FOUND AND NOT TARGET Graphviz::gvc)
  add_library(Graphviz::gvc INTERFACE IMPORTED)
  target_include_directories(Graphviz::gvc INTERFACE ${Graphviz_INCLUDE_DIR})
  target_link_libraries(Graphviz::gvc INTERFACE ${Graphviz_GVC} ${Graphviz_CGRAPH})
endif()
