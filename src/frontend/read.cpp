#include "frontend/read.hpp"

#include "frontend/c/frontend.hpp"
#include "frontend/einsum/einsum.hpp"
#include "frontend/python/frontend.hpp"

namespace redblue::frontend {

program::Program read(const BoundRequest& request) {
  if (!request.einsum.empty()) return einsum::parse(request.einsum);
  if (request.file.ends_with(".py")) return python::parse(request.file, request.function);
  return c::parse(request.file, request.function, request.flags);
}

}  // namespace redblue::frontend
