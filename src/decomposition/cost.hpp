// What a decomposition costs, and which of two costs is better.
#pragma once

#include <vector>

#include "decomposition/ownership.hpp"
#include "redblue/model.hpp"

namespace redblue {

// latency * messages + bytes of doubles / bandwidth + 2 flops per multiplication / flop rate.
double predicted_seconds(const Cost& cost, const Machine& machine);

// By the objective first, then by the other, then by messages.
bool better(const Cost& a, const Cost& b, Objective objective);

}  // namespace redblue
