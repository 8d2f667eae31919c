// SPDX-License-Identifier: BSD-3-Clause
// The begin and the end of a traced program: what all processes recorded between MPI_Init and
// MPI_Finalize goes to the file that REDBLUE_TRACE_FILE names, as a list of JSON objects.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "trace/message_counts.hpp"
#include "trace/recorder.hpp"
#include "trace/rules.hpp"

namespace redblue::trace {

namespace {

void begin() {
  if (std::getenv("REDBLUE_TRACE_FILE") == nullptr || is_recording()) return;
  start_counting_messages();
  start_recording();
}

void write(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool fine = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  if (file == nullptr || std::fclose(file) != 0 || !fine) {
    std::fprintf(stderr, "redblue: %s: it cannot be written; name another file\n", path.c_str());
  }
}

// Collective over MPI_COMM_WORLD.
void end() {
  if (!is_recording()) return;
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string mine = own_record(rank);
  const MpiCall own_messages("MPI_Finalize");  // count for nobody
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), starts(lengths.size() + 1);
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::partial_sum(lengths.begin(), lengths.end(), starts.begin() + 1);
  std::string all(static_cast<std::size_t>(starts.back()), ' ');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
               0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::string list = "[";
  for (int r = 0; r < ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (r > 0) list += ",\n";
    list += all.substr(static_cast<std::size_t>(starts[at]), static_cast<std::size_t>(lengths[at]));
  }
  write(std::getenv("REDBLUE_TRACE_FILE"), list + "]\n");
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(mpi_function(name));
}

}  // namespace

}  // namespace redblue::trace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int status = redblue::trace::next<decltype(&MPI_Init)>("PMPI_Init")(argc, argv);
  redblue::trace::begin();
  return status;
}
int PMPI_Init(int* argc, char*** argv) {
  return MPI_Init(argc, argv);
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = redblue::trace::next<decltype(&MPI_Init_thread)>("PMPI_Init_thread")(
      argc, argv, required, provided);
  redblue::trace::begin();
  return status;
}
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return MPI_Init_thread(argc, argv, required, provided);
}
int MPI_Finalize() {
  redblue::trace::end();
  return redblue::trace::next<decltype(&MPI_Finalize)>("PMPI_Finalize")();
}
int PMPI_Finalize() {
  return MPI_Finalize();
}
}
