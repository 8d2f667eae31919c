// SPDX-License-Identifier: BSD-3-Clause
// Symbols that other libraries in the process define, for libraries that stand in front of them.
#pragma once

// Each library that uses this has a copy of its own, for "behind" depends on who asks.
namespace redblue::loader {

// A symbol as the program sees it; null where no library defines it. Libraries out of the global
// scope count, too: interpreters load their modules, and what these are linked with, out of it.
[[gnu::visibility("hidden")]] void* symbol(const char* name);

// The definition behind that of the library which asks, as LD_PRELOAD needs it.
[[gnu::visibility("hidden")]] void* next_symbol(const char* name);

}  // namespace redblue::loader
