// What can be wrong with layouts a caller passes, found before anything moves.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "layout/arrangement.hpp"
#include "redblue/linalg.hpp"

namespace redblue {

// Throws Error on all ranks together, naming `what` ("A"), where the layout is invalid for the
// communicator, on any rank, or not the same on all of them.
void check_layout(comm::Communicator& communicator, const std::string& what, const Layout& layout);

// op(X) for X in this layout.
layout::Arrangement arrangement_of(const Layout& layout, Op op, int ranks);

}  // namespace redblue
