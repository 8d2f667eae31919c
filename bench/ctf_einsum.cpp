// SPDX-License-Identifier: BSD-3-Clause
// A summation by CTF, whose folder bench/beside_ctf is given: seconds of the slowest rank.
//   mpirun -n 4 ctf_einsum "ijk,jr,kr->ir" Ni=200,Nj=200,Nk=200,Nr=32 REPEAT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctf.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Tensor = CTF::Tensor<double>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

struct Summation {
  std::vector<std::string> letters;  // of the operands, then of the result
  std::vector<Tensor> tensors;
  double expected = 1;  // every element of the result

  Summation(const std::string& text, const std::string& sizes, CTF::World& world) {
    std::map<char, int> extents;
    for (const std::string& size : split(sizes, ',')) extents[size[1]] = std::stoi(size.substr(3));
    const std::size_t arrow = text.find("->");
    letters = split(text.substr(0, arrow), ',');
    letters.push_back(text.substr(arrow + 2));
    for (const auto& [letter, extent] : extents)
      expected *= letters.back().find(letter) == std::string::npos ? extent : 1;
    for (const std::string& l : letters) {
      std::vector<int> lengths;
      for (const char c : l) lengths.push_back(extents.at(c));
      tensors.emplace_back(static_cast<int>(l.size()), lengths.data(), world);
      if (tensors.size() == letters.size()) break;
      tensors.back()[l.c_str()] = 0.5;
      expected *= 0.5;
    }
  }

  CTF::Idx_Tensor operator[](std::size_t t) { return tensors[t][letters[t].c_str()]; }

  void run() {
    Summation& x = *this;
    switch (letters.size()) {
      case 3:
        x[2] = x[0] * x[1];
        return;
      case 4:
        x[3] = x[0] * x[1] * x[2];
        return;
      case 5:
        x[4] = x[0] * x[1] * x[2] * x[3];
        return;
      case 6:
        x[5] = x[0] * x[1] * x[2] * x[3] * x[4];
        return;
      default:
        std::fprintf(stderr, "ctf_einsum: two to five operands\n");
        std::exit(2);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    CTF::World world(argc, argv);
    if (argc < 4) return 2;
    Summation summation(argv[1], argv[2], world);
    std::vector<double> all;
    for (int r = 0; r <= std::atoi(argv[3]); ++r) {  // the first is not counted
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      summation.run();
      double seconds = MPI_Wtime() - begin;
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (r > 0) all.push_back(seconds);
    }
    std::sort(all.begin(), all.end());
    const double largest = summation.tensors.back().norm_infty();
    const bool is_right = std::abs(largest - summation.expected) <= 1e-9 * summation.expected;
    if (world.rank == 0)
      std::printf("{\"seconds\": %.9g, \"ok\": %s}\n", all[all.size() / 2],
                  is_right ? "true" : "false");
  }
  MPI_Finalize();
  return 0;
}
