// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/read.hpp"

#include <functional>
#include <map>

#include "frontend/c/frontend.hpp"
#include "frontend/einsum/einsum.hpp"
#include "frontend/final_values.hpp"
#include "frontend/llvm/nest/nest.hpp"
#include "frontend/python/frontend.hpp"
#include "program/operation_limit.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend {

namespace {

// By the names of the files that they stand for. One for the process, as what isl keeps.
std::map<std::string, std::string>& texts() {
  static std::map<std::string, std::string> all;
  return all;
}

// Bounds of loops that are minima and maxima of each other have more pieces than can be followed.
program::Program within_limit(const BoundRequest& request,
                              const std::function<program::Program()>& read) {
  constexpr unsigned long most_operations = 5'000'000;
  try {
    const program::OperationLimit limit(most_operations);
    return read();
  } catch (const isl::exception&) {
    throw Error(request.file, "the bounds of its loops are too intricate to read",
                "write loops whose bounds are sums, minima and maxima of few of the loops around");
  }
}

program::Program as_written(const BoundRequest& request) {
  if (!request.einsum.empty()) return einsum::parse(request.einsum);
  if (const auto text = texts().find(request.file); text != texts().end()) {
    return within_limit(
        request, [&] { return c::parse_text(request.file, text->second, request.function); });
  }
  if (request.file.ends_with(".py")) return python::parse(request.file, request.function);
  if (llvm_ir::reads(request.file)) {
    return within_limit(
        request, [&] { return llvm_ir::parse(request.file, request.function, request.flags); });
  }
  return within_limit(request,
                      [&] { return c::parse(request.file, request.function, request.flags); });
}

}  // namespace

void stand_for_file(const std::string& name, const std::string& text) {
  texts()[name] = text;
}

program::Program read(const BoundRequest& request) {
  return with_final_values(as_written(request), request.scratch, request.outputs);
}

}  // namespace redblue::frontend
