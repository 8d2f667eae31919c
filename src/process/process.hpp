// SPDX-License-Identifier: BSD-3-Clause
// Other programs, run to their end.
#pragma once

#include <string>
#include <vector>

namespace redblue::process {

struct Finished {
  bool started = false;  // false: the program was not found
  int status = 0;        // as exit() gave it; 128 + the signal's number where one ended it
  bool late = false;     // it, or a program it ran, took all the seconds it was given
  std::string output;    // what it wrote to standard output and, where asked for, standard error
};

// Runs command[0] (looked for in PATH) with the other words as arguments. `seconds` of a processor
// are all that it may take, and each program that it runs; 0: any number.
Finished run(std::vector<std::string> command, bool with_errors = false, unsigned seconds = 0);

}  // namespace redblue::process
