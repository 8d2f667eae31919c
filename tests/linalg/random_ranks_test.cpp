// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun on any number of ranks: random products, updates, factorizations, linear systems
// and redistributions of all types, between random layouts, against BLAS, LAPACK or a residual on
// every rank.
//   random_ranks_test --cases N [--from SEED] [--only ALGORITHM,...]
//   random_ranks_test --seconds S [--from SEED]      whole rounds of all algorithms and types
//   random_ranks_test --case SEED                    one case again
// A case follows from its seed and the number of ranks; any 96 seeds in a row have every algorithm
// with every type. The first wrong case ends the run with a line that says what it computes, what
// is wrong, and the command that runs it alone.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "linalg/gemm/random_products.hpp"
#include "linalg/inverse/random_inverses.hpp"
#include "linalg/qr/random_qr.hpp"
#include "linalg/random_factorizations.hpp"
#include "linalg/refine/random_refinements.hpp"
#include "linalg/solve/random_solves.hpp"
#include "linalg/triangular/random_triangular_products.hpp"

namespace redblue {

using namespace linalg;
using comm::conjugated;

namespace {

constexpr std::array type_names = {"float", "double", "complex<float>", "complex<double>"};

struct Algorithm {
  std::string name;
  std::array<std::function<void(Case&)>, type_names.size()> of_type;
};

template <class Run>
Algorithm algorithm(const char* name, Run run) {
  return {name,
          {[run](Case& c) { run(c, float{}); }, [run](Case& c) { run(c, double{}); },
           [run](Case& c) { run(c, std::complex<float>{}); },
           [run](Case& c) { run(c, std::complex<double>{}); }}};
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = {
      algorithm("gemm", []<class T>(Case& c, T) { gemm_case<T>(c); }),
      algorithm("gemm-one-sided", []<class T>(Case& c, T) { gemm_one_sided_case<T>(c); }),
      algorithm("gemm-within-memory", []<class T>(Case& c, T) { gemm_within_memory_case<T>(c); }),
      algorithm("syrk", []<class T>(Case& c, T) { syrk_case<T>(c); }),
      algorithm("syr2k", []<class T>(Case& c, T) { syr2k_case<T>(c); }),
      algorithm("syrk-native", []<class T>(Case& c, T) { syrk_native_case<T>(c); }),
      algorithm("symm", []<class T>(Case& c, T) { symm_case<T>(c); }),
      algorithm("cholesky", []<class T>(Case& c, T) { cholesky_case<T>(c); }),
      algorithm("lu", []<class T>(Case& c, T) { lu_case<T>(c); }),
      algorithm("qr", []<class T>(Case& c, T) { qr_case<T>(c); }),
      algorithm("trsm", []<class T>(Case& c, T) { trsm_case<T>(c); }),
      algorithm("cholesky-solve", []<class T>(Case& c, T) { cholesky_solve_case<T>(c); }),
      algorithm("lu-solve", []<class T>(Case& c, T) { lu_solve_case<T>(c); }),
      algorithm("system", []<class T>(Case& c, T) { system_case<T>(c); }),
      algorithm("triangular-inverse", []<class T>(Case& c, T) { triangular_inverse_case<T>(c); }),
      algorithm("triangular-square", []<class T>(Case& c, T) { triangular_square_case<T>(c); }),
      algorithm("cholesky-inverse", []<class T>(Case& c, T) { cholesky_inverse_case<T>(c); }),
      algorithm("lu-inverse", []<class T>(Case& c, T) { lu_inverse_case<T>(c); }),
      algorithm("two-sided-solve", []<class T>(Case& c, T) { two_sided_solve_case<T>(c); }),
      algorithm("two-sided-product", []<class T>(Case& c, T) { two_sided_product_case<T>(c); }),
      algorithm("refinement", []<class T>(Case& c, T) { refinement_case<T>(c); }),
      algorithm("condition", []<class T>(Case& c, T) { condition_case<T>(c); }),
      algorithm("trmm", []<class T>(Case& c, T) { trmm_case<T>(c); }),
      algorithm("redistribution", []<class T>(Case& c, T) { redistribution_case<T>(c); })};
  return all;
}

std::int64_t round_size() {
  return static_cast<std::int64_t>(algorithms().size() * type_names.size());
}

const Algorithm& algorithm_of(std::uint64_t seed) {
  return algorithms()[seed % algorithms().size()];
}

struct Request {
  std::string program;
  std::int64_t cases = 0;  // of the algorithms in `only`
  double seconds = 0;      // instead, where above 0
  bool again = false;      // the one case of the seed
  std::uint64_t seed = 1;
  std::set<std::string> only;  // empty: all
};

// On the first rank that found something wrong, one line.
void say(const Request& request, const Case& c, std::uint64_t seed, std::size_t type) {
  std::fprintf(stderr,
               "wrong on rank %d of %d: %s %s, %s; %s; again: mpirun -n %d %s --case %llu\n",
               c.world.rank().value, c.world.size(), algorithm_of(seed).name.c_str(),
               type_names[type], c.facts.c_str(), c.wrong.c_str(), c.world.size(),
               request.program.c_str(), static_cast<unsigned long long>(seed));
}

// What has been tried of an algorithm; elements are those compared on all ranks.
struct Tally {
  std::int64_t cases = 0;
  double elements = 0;
};

// Returns the elements compared; nothing where the case is wrong.
std::optional<double> run_case(const Request& request, comm::Communicator& world,
                               std::uint64_t seed) {
  const std::size_t type = seed / algorithms().size() % type_names.size();
  Case c(seed, world);
  bool said = false;
  try {
    algorithm_of(seed).of_type[type](c);
  } catch (const std::exception& e) {
    c.check(false, e.what());
    say(request, c, seed, type);  // at once: other ranks may wait for this one
    said = true;
  }
  const std::int64_t none = world.size();
  const std::int64_t mine = c.wrong.empty() ? none : world.rank().value;
  const std::int64_t first = none - world.maximum(none - mine);
  if (first == mine && first != none && !said) say(request, c, seed, type);
  if (first != none) return std::nullopt;
  std::vector<double> compared = {static_cast<double>(c.compared)};
  world.sum(compared);
  return compared[0];
}

bool wanted(const Request& request, std::uint64_t seed) {
  return request.only.empty() || request.only.contains(algorithm_of(seed).name);
}

// Whether every algorithm asked for had its share of the cases and something to compare in them.
bool enough(const Request& request, const std::map<std::string, Tally>& tried, std::int64_t cases,
            bool is_root) {
  const std::size_t kinds = request.only.empty() ? algorithms().size() : request.only.size();
  const std::int64_t share = cases / static_cast<std::int64_t>(kinds);
  bool all = true;
  for (const Algorithm& a : algorithms()) {
    if (!request.only.empty() && !request.only.contains(a.name)) continue;
    const auto found = tried.find(a.name);
    const Tally t = found == tried.end() ? Tally{} : found->second;
    const bool right = t.cases >= std::max<std::int64_t>(1, share) && t.elements > 0;
    if (!right && is_root) {
      std::fprintf(stderr,
                   "%s: %lld cases and %.0f elements compared, expected at least %lld cases\n",
                   a.name.c_str(), static_cast<long long>(t.cases), t.elements,
                   static_cast<long long>(std::max<std::int64_t>(1, share)));
    }
    all = all && right;
  }
  return all;
}

int run(const Request& request, comm::Communicator& world) {
  const double start = comm::seconds();
  const bool is_root = world.rank().value == 0;
  std::map<std::string, Tally> tried;
  std::int64_t cases = 0;
  const auto more = [&] {
    if (request.seconds <= 0) return cases < request.cases;
    return cases % round_size() != 0 || cases == 0 ||
           world.maximum(comm::seconds() - start) < request.seconds;
  };
  for (std::uint64_t seed = request.seed; more(); ++seed) {
    if (!wanted(request, seed)) continue;
    const std::optional<double> compared = run_case(request, world, seed);
    if (!compared) return 1;
    Tally& t = tried[algorithm_of(seed).name];
    ++t.cases;
    t.elements += *compared;
    ++cases;
  }
  if (!enough(request, tried, cases, is_root)) return 1;
  if (is_root) {
    std::string list;
    for (const auto& [name, t] : tried) {
      list += text(list.empty() ? "" : ", ", t.cases, " ", name);
    }
    std::printf("%lld random cases on %d ranks are right: %s\n", static_cast<long long>(cases),
                world.size(), list.c_str());
  }
  return 0;
}

int run_again(const Request& request, comm::Communicator& world) {
  const std::optional<double> compared = run_case(request, world, request.seed);
  if (!compared) return 1;
  if (world.rank().value == 0) {
    std::printf("%s with seed %llu is right on %d ranks: %.0f elements compared\n",
                algorithm_of(request.seed).name.c_str(),
                static_cast<unsigned long long>(request.seed), world.size(), *compared);
  }
  return 0;
}

Request parse(int argc, char** argv) {
  Request r;
  r.program = argv[0];
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(option + " has no value");
    const std::string value = argv[i + 1];
    if (option == "--cases")
      r.cases = std::stoll(value);
    else if (option == "--seconds")
      r.seconds = std::stod(value);
    else if (option == "--from")
      r.seed = std::stoull(value);
    else if (option == "--case") {
      r.again = true;
      r.seed = std::stoull(value);
    } else if (option == "--only") {
      std::istringstream names(value);
      for (std::string name; std::getline(names, name, ',');) r.only.insert(name);
    } else {
      throw std::invalid_argument("no option " + option);
    }
  }
  for (const std::string& name : r.only) {
    const bool known = std::any_of(algorithms().begin(), algorithms().end(),
                                   [&name](const Algorithm& a) { return a.name == name; });
    if (!known) throw std::invalid_argument("no algorithm " + name);
  }
  if (!r.again && r.cases <= 0 && r.seconds <= 0) throw std::invalid_argument("no cases asked for");
  return r;
}

}  // namespace
}  // namespace redblue

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  redblue::Request request;
  try {
    request = redblue::parse(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "random_ranks_test: %s\n", e.what());
    return 2;
  }
  redblue::comm::Communicator world(MPI_COMM_WORLD);
  return request.again ? redblue::run_again(request, world) : redblue::run(request, world);
}
