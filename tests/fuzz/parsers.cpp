// SPDX-License-Identifier: BSD-3-Clause
// Everything redblue reads from users, with any bytes: it answers or throws Error, nothing else.
// libFuzzer; the first byte chooses what the rest is. scripts/fuzz builds and runs it.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "frontend/c/frontend.hpp"
#include "frontend/einsum/einsum.hpp"
#include "frontend/python/frontend.hpp"
#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "redblue/error.hpp"

namespace {

std::string file_with(const std::string& text, const std::string& ending) {
  const std::string path = "/tmp/redblue-fuzz-" + std::to_string(getpid()) + ending;
  std::ofstream(path) << text;
  return path;
}

void read(std::uint8_t kind, const std::string& text) {
  switch (kind % 8) {
    case 0:
      redblue::frontend::einsum::parse(text);
      return;
    case 1:
      redblue::Formula(text, {"N", "S"}).at({{"N", 100}, {"S", 32}});
      return;
    case 2:
      redblue::cdag::make_graph(file_with(text, ".edges"));
      return;
    case 5:
      redblue::cdag::make_graph(file_with(text, ".hdag"));
      return;
    case 3:
      redblue::frontend::python::parse(file_with(text, ".py"), "");
      return;
    default:
      redblue::frontend::c::parse(file_with(text, ".c"), "", {});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  try {
    read(data[0], std::string(data + 1, data + size));
  } catch (const redblue::Error&) {
  } catch (const isl::exception&) {  // lower_bounds turns it into an Error
  }
  return 0;
}
