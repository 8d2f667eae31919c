// SPDX-License-Identifier: BSD-3-Clause
// Writes the random stencil program of a seed to a file, and its sizes to standard output.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "sweeps/generator.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "random_stencil SEED FILE\n";
    return 2;
  }
  const auto stencil = redblue::test::random_stencil(std::strtoull(argv[1], nullptr, 10));
  std::ofstream(argv[2]) << stencil.text;
  std::cout << stencil.set << "\n";
  return 0;
}
