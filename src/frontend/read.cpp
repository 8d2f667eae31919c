#include "frontend/read.hpp"

#include "frontend/c/frontend.hpp"
#include "frontend/einsum/einsum.hpp"

namespace redblue::frontend {

program::Program read(const BoundRequest& request) {
  if (!request.einsum.empty()) return einsum::parse(request.einsum);
  return c::parse(request.file, request.function, request.flags);
}

}  // namespace redblue::frontend
