// Linear systems of random types, shapes and layouts: every backward error is small.
//   mpirun -n 4 solve_ranks_test [CASES] [SEED]
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <cstdlib>

#include "linalg/random_solves.hpp"

namespace redblue {
namespace {

template <class T>
bool is_right(Dice& dice, comm::Communicator& world) {
  switch (dice.between(0, 4)) {
    case 0:
      return triangular_solve_is_right<T>(dice, world);
    case 1:
      return cholesky_solve_is_right<T>(dice, world);
    case 2:
      return lu_solve_is_right<T>(dice, world);
    default:
      return system_is_right<T>(dice, world);
  }
}

bool case_is_right(std::uint64_t seed, comm::Communicator& world) {
  Dice dice(seed);
  switch (dice.between(0, 3)) {
    case 0:
      return is_right<float>(dice, world);
    case 1:
      return is_right<double>(dice, world);
    case 2:
      return is_right<std::complex<float>>(dice, world);
    default:
      return is_right<std::complex<double>>(dice, world);
  }
}

int run(std::int64_t cases, std::uint64_t seed) {
  comm::Communicator world(MPI_COMM_WORLD);
  for (std::int64_t c = 0; c < cases; ++c, ++seed) {
    const bool right = case_is_right(seed, world);
    if (world.all(right)) continue;
    if (!right) {
      std::fprintf(stderr, "rank %d: wrong with seed %llu\n", world.rank().value,
                   static_cast<unsigned long long>(seed));
    }
    return 1;
  }
  if (world.rank().value == 0) {
    std::printf("%lld random systems on %d ranks are right\n", static_cast<long long>(cases),
                world.size());
  }
  return 0;
}

}  // namespace
}  // namespace redblue

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  return redblue::run(argc > 1 ? std::atoll(argv[1]) : 20,
                      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
}
