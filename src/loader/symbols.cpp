// SPDX-License-Identifier: BSD-3-Clause
#include "loader/symbols.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>

namespace redblue::loader {

namespace {

// The first definition in any library but that of `own`.
void* in_any_library(const char* name, const void* own) {
  struct Search {
    const char* name;
    const void* own;
    void* found;
  } search = {name, own, nullptr};
  const auto visit = [](dl_phdr_info* library, std::size_t, void* state) {
    auto& s = *static_cast<Search*>(state);
    if (library->dlpi_name == nullptr || *library->dlpi_name == '\0') return 0;
    void* const handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return 0;
    void* const definition = dlsym(handle, s.name);
    dlclose(handle);  // it stays loaded by those who loaded it
    if (definition == nullptr || definition == s.own) return 0;
    s.found = definition;
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace

void* symbol(const char* name) {
  void* const global = dlsym(RTLD_DEFAULT, name);
  return global != nullptr ? global : in_any_library(name, nullptr);
}

void* next_symbol(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  return next != nullptr ? next : in_any_library(name, dlsym(RTLD_DEFAULT, name));
}

}  // namespace redblue::loader
