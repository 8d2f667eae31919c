// What the library did for a program that knows nothing of it.
#pragma once

#include "redblue/linalg.hpp"

namespace redblue::scalapack {

// One served call. `speaks`: this process prints the report at exit, where REDBLUE_REPORT asks for
// it.
void record_served(const Traffic& redistribution, const Traffic& multiplication, bool speaks);
void record_passed_on();

long served_calls();
long passed_on_calls();

}  // namespace redblue::scalapack
