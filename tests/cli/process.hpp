// SPDX-License-Identifier: BSD-3-Clause
// Runs commands the way a user does and hands back what they printed.
#pragma once

#include <string>

namespace redblue::test {

struct Finished {
  int status;  // exit status; 128 + signal when killed
  std::string out, err;
};

// Runs `command` in a shell with a time limit of 120 s (status 124 when it is exceeded).
Finished shell(const std::string& command);

Finished redblue(const std::string& arguments);           // redblue ARGUMENTS
Finished mpirun(int ranks, const std::string& arguments,  // mpirun -n RANKS .. redblue ARGUMENTS
                const std::string& options = "");

std::string temporary_directory();  // new and empty

}  // namespace redblue::test
