// SPDX-License-Identifier: BSD-3-Clause
// The picture of a communication matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redblue::cli {

// What was moved between ranks, in bytes.
struct CommunicationMatrix {
  std::vector<std::vector<std::int64_t>> sent;  // [from][to], by messages and puts
  std::vector<std::int64_t> collectives;        // received by each rank in collectives and gets

  int ranks() const { return static_cast<int>(sent.size()); }
  std::int64_t received(int rank) const;  // in all
};

// SVG: a square for each pair of ranks, senders down, receivers across, darker for more bytes on a
// logarithmic scale; below, what each rank received in collectives.
std::string matrix_picture(const std::string& title, const CommunicationMatrix& matrix);

}  // namespace redblue::cli
