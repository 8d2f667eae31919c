// SPDX-License-Identifier: BSD-3-Clause
#include "loader/symbols.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>

namespace redblue::loader {

namespace {

// Where a library that defines the symbol lies; null where none does.
const void* library_of(const void* definition) {
  Dl_info info = {};
  return dladdr(definition, &info) != 0 ? info.dli_fbase : nullptr;
}

// Whether this library, the one that asks, defines it.
bool is_own(const void* definition) {
  static const char here = 0;
  return library_of(definition) == library_of(&here);
}

// The first definition in any other library.
void* in_any_other_library(const char* name) {
  struct Search {
    const char* name;
    void* found;
  } search = {name, nullptr};
  const auto visit = [](dl_phdr_info* library, std::size_t, void* state) {
    auto& s = *static_cast<Search*>(state);
    if (library->dlpi_name == nullptr || *library->dlpi_name == '\0') return 0;
    void* const handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return 0;
    void* const definition = dlsym(handle, s.name);
    dlclose(handle);  // it stays loaded by those who loaded it
    if (definition == nullptr || is_own(definition)) return 0;
    s.found = definition;
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace

void* symbol(const char* name) {
  void* const global = dlsym(RTLD_DEFAULT, name);
  return global != nullptr ? global : in_any_other_library(name);
}

void* next_symbol(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next != nullptr) return next;
  // a library that was loaded by dlopen stands behind no other
  void* const global = dlsym(RTLD_DEFAULT, name);
  return global != nullptr && !is_own(global) ? global : in_any_other_library(name);
}

}  // namespace redblue::loader
