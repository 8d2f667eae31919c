// SPDX-License-Identifier: BSD-3-Clause
// One rank reads and compiles; the others get what they need to work, over the network alone.
#pragma once

#include <functional>
#include <string>

#include "comm/communicator.hpp"
#include "redblue/stencil_source.hpp"

namespace redblue::cli {

struct CompiledStencil {
  StencilSource source;  // on other ranks than 0 without code
  std::string library;   // of compiled()
};

// make() on rank 0, its result on all. Where it throws, all throw Error with its message.
CompiledStencil shared_by_root(comm::Communicator& world,
                               const std::function<CompiledStencil()>& make);

}  // namespace redblue::cli
