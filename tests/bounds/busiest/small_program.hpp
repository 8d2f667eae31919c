// SPDX-License-Identifier: BSD-3-Clause
// Programs small enough to try ways to share their vertices.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {

struct SmallProgram {
  std::string name, arguments, body;  // in C
  std::map<std::string, std::int64_t> sizes;
};

// For its bounds with more fast memory than it has vertices.
inline BoundRequest request_of(const SmallProgram& program, std::int64_t processors) {
  const std::string path = temporary_folder() + program.name + ".c";
  std::ofstream(path) << "void f(" << program.arguments << ") {\n#pragma scop\n"
                      << program.body << "#pragma endscop\n}\n";
  BoundRequest request{path, "", {}, program.sizes};
  request.sizes["S"] = 1000;
  request.units = processors;
  return request;
}

inline std::size_t index(cdag::Vertex v) {
  return static_cast<std::size_t>(v);
}

}  // namespace redblue::test
