// What every request for a decomposition is checked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace redblue {

// Throws Error for fewer than one rank to run `kernel` ("lu") on.
void check_ranks(const std::string& kernel, int ranks);

// Throws Error for blocks of no rows.
void check_block(std::optional<std::int64_t> block);

}  // namespace redblue
