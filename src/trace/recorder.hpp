// SPDX-License-Identifier: BSD-3-Clause
// What one process of a traced program did: its MPI calls, and the regions (calls of ScaLAPACK)
// that they were made in. Any thread may record.
#pragma once

#include <cstdint>
#include <string>

namespace redblue::trace {

// Until start_recording() nothing is recorded, and calls cost nothing.
bool is_recording();
void start_recording();

// By this thread: an MPI call, and the bytes that the call at hand moves.
void record_call(const char* name, double seconds);
void record_bytes(std::int64_t bytes);

// A call of a library that is named; only the outermost of a thread counts.
class Region {
 public:
  explicit Region(const char* name);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char* name_;
  double start_ = 0;
};

// This process's record as JSON: rank, seconds, mpi_seconds, sent (bytes to each rank), collectives
// (bytes received by collectives and gets), calls and regions by name, uncounted.
std::string own_record(int rank);

}  // namespace redblue::trace
