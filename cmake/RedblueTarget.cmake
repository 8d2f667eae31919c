# SPDX-License-Identifier: BSD-3-Clause
# Common settings of every target, and the library targets made from the folders of src/.

function(redblue_settings target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)  # false alarms on std::string, GCC bug 105651
  endif()
  if(REDBLUE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(REDBLUE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address,undefined)
  endif()
  if(REDBLUE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

# The sources of src/FOLDER/*.cpp for every FOLDER given.
function(redblue_sources result)
  set(sources "")
  foreach(folder ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# redblue_library(NAME [SHARED] FOLDER...): library redblue_NAME, alias redblue::NAME, from src/FOLDER/*.cpp.
function(redblue_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "SHARED" "" "")
  set(kind "")
  if(library_SHARED)
    set(kind SHARED)
  endif()
  redblue_sources(sources ${library_UNPARSED_ARGUMENTS})
  add_library(redblue_${name} ${kind} ${sources})
  add_library(redblue::${name} ALIAS redblue_${name})
  redblue_settings(redblue_${name})
  target_compile_features(redblue_${name} PUBLIC cxx_std_20)
  target_include_directories(redblue_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # DEFINE_SYMBOL: static and shared libraries are compiled by the same commands, so ccache knows both.
  set_target_properties(redblue_${name} PROPERTIES
    EXPORT_NAME ${name} DEFINE_SYMBOL "" SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} VERSION ${PROJECT_VERSION})
  set_property(GLOBAL APPEND PROPERTY REDBLUE_LIBRARIES redblue_${name})
endfunction()

# redblue_internal_library(NAME FOLDER...): a static library that only this project's own programs link.
function(redblue_internal_library name)
  redblue_sources(sources ${ARGN})
  add_library(redblue_${name} STATIC ${sources})
  redblue_settings(redblue_${name})
endfunction()
