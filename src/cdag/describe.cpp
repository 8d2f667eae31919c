// SPDX-License-Identifier: BSD-3-Clause
// make_graph: a graph from the text that describes it.
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>

#include "cdag/files/files.hpp"
#include "cdag/generators.hpp"
#include "redblue/error.hpp"

namespace redblue::cdag {

namespace {

constexpr std::int64_t most_vertices = 100'000'000;

struct Generator {
  std::string usage;
  std::size_t numbers = 0;                                           // how many it takes
  std::function<double(const std::vector<std::int32_t>&)> vertices;  // about
  std::function<Graph(const std::vector<std::int32_t>&)> make;
};

using Sizes = std::vector<std::int32_t>;

double power(double base, int exponent) {
  double result = 1;
  for (int e = 0; e < exponent; ++e) result *= base;
  return result;
}

const std::map<std::string, Generator>& generators() {
  static const std::map<std::string, Generator> all{
      {"matmul",
       {"matmul:M,N,K", 3, [](const Sizes& s) { return 1.0 * s[0] * s[1] * s[2]; },
        [](const Sizes& s) { return matmul(s[0], s[1], s[2]); }}},
      {"lu",
       {"lu:N", 1, [](const Sizes& s) { return power(s[0], 3) / 3; },
        [](const Sizes& s) { return lu(s[0]); }}},
      {"cholesky",
       {"cholesky:N", 1, [](const Sizes& s) { return power(s[0], 3) / 6; },
        [](const Sizes& s) { return cholesky(s[0]); }}},
      {"trsv",
       {"trsv:N", 1, [](const Sizes& s) { return power(s[0], 2); },
        [](const Sizes& s) { return triangular_solve(s[0]); }}},
      {"fft",
       {"fft:N", 1, [](const Sizes& s) { return 27.0 * s[0]; },
        [](const Sizes& s) { return fft(s[0]); }}},
      {"cg",
       {"cg:T,N,D", 3, [](const Sizes& s) { return 7 * s[0] * power(s[1], s[2]); },
        [](const Sizes& s) { return conjugate_gradient(s[0], s[1], s[2]); }}},
      {"gmres",
       {"gmres:M,N,D", 3, [](const Sizes& s) { return (3.0 + s[0]) * s[0] * power(s[1], s[2]); },
        [](const Sizes& s) { return gmres(s[0], s[1], s[2]); }}},
      {"tree",
       {"tree:N,A", 2, [](const Sizes& s) { return 2.0 * s[0]; },
        [](const Sizes& s) { return reduction_tree(s[0], s[1]); }}},
      {"diamond",
       {"diamond:R,C", 2, [](const Sizes& s) { return 1.0 * s[0] * s[1]; },
        [](const Sizes& s) { return diamond(s[0], s[1]); }}},
      {"pyramid",
       {"pyramid:H", 1, [](const Sizes& s) { return power(s[0], 2) / 2; },
        [](const Sizes& s) { return pyramid(s[0]); }}},
      {"random",
       {"random:N,D,SEED", 3, [](const Sizes& s) { return 1.0 * s[0]; },
        [](const Sizes& s) { return random_graph(s[0], s[1], s[2]); }}},
  };
  return all;
}

[[noreturn]] void refuse(const std::string& description, const std::string& why) {
  std::string known;
  for (const auto& [name, generator] : generators()) known += generator.usage + " ";
  throw Error("graph '" + description + "'", why,
              "use a file (.dot, .gv, .edges) or one of " + known + "stencil:T,N,...[:box|:rR]");
}

Sizes sizes_of(const std::string& description, const std::string& list) {
  Sizes result;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < 1) {
      refuse(description, "'" + part + "' is no whole number above 0");
    }
    result.push_back(value);
  }
  return result;
}

void check_size(const std::string& description, double vertices) {
  if (vertices > static_cast<double>(most_vertices)) {
    refuse(description, "more than " + std::to_string(most_vertices) + " vertices");
  }
}

Graph make_stencil(const std::string& description, const std::string& rest) {
  const auto colon = rest.find(':');
  Sizes sizes = sizes_of(description, rest.substr(0, colon));
  if (sizes.size() < 2 || sizes.size() > 5) refuse(description, "needs T and 1 to 4 extents");
  std::string shape = colon == std::string::npos ? "" : rest.substr(colon + 1);
  const bool box = shape.starts_with("box");
  if (box) shape.erase(0, 3);
  if (!shape.empty() && shape.front() == 'r') shape.erase(0, 1);
  const Sizes radius = shape.empty() ? Sizes{1} : sizes_of(description, shape);
  double vertices = 1;
  for (const std::int32_t s : sizes) vertices *= s;
  check_size(description, vertices);
  const std::int32_t steps = sizes.front();
  sizes.erase(sizes.begin());
  // Neighbours farther away than the grid is wide are outside it.
  const std::int32_t widest = *std::max_element(sizes.begin(), sizes.end());
  return stencil(steps, sizes, std::min(radius.front(), widest), box);
}

Graph generated(const std::string& description, const std::string& name, const std::string& rest) {
  if (name == "stencil") return make_stencil(description, rest);
  const auto known = generators().find(name);
  if (known == generators().end()) refuse(description, "no generator of that name");
  const Sizes sizes = sizes_of(description, rest);
  const Generator& generator = known->second;
  if (sizes.size() != generator.numbers) {
    refuse(description, "needs " + std::to_string(generator.numbers) + " numbers");
  }
  if (name == "fft" && (sizes[0] & (sizes[0] - 1)) != 0) {
    refuse(description, "N is no power of two");
  }
  if (name == "tree" && sizes[1] < 2) refuse(description, "A must be at least 2");
  if ((name == "cg" || name == "gmres") && sizes[2] > 4) refuse(description, "D must be 1 to 4");
  check_size(description, generator.vertices(sizes));
  return generator.make(sizes);
}

}  // namespace

Graph make_graph(const std::string& description) {
  if (description.ends_with(".dot") || description.ends_with(".gv")) {
    return read_dot(description);
  }
  if (description.ends_with(".edges")) return read_edges(description);
  if (description.ends_with(".hdag")) return read_hdag(description);
  const auto colon = description.find(':');
  if (colon == std::string::npos) refuse(description, "neither a graph file nor a generator");
  return generated(description, description.substr(0, colon), description.substr(colon + 1));
}

}  // namespace redblue::cdag
