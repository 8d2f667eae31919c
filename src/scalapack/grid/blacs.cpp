// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/grid/blacs.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "loader/symbols.hpp"

namespace redblue::scalapack {

namespace {

using Get = void (*)(int context, int what, int* value);
using GridInfo = void (*)(int context, int* rows, int* columns, int* row, int* column);
using ProcessNumber = int (*)(int context, int row, int column);
using SystemHandle = MPI_Comm (*)(int handle);
using ProcessInfo = void (*)(int* process, int* processes);
using Abort = void (*)(int context, int code);
using Complain = void (*)(const int* context, const char* routine, const int* position, int length);

struct Blacs {
  Get get;
  GridInfo grid_info;
  ProcessNumber process_number;
  SystemHandle system_handle;

  bool complete() const {
    return get != nullptr && grid_info != nullptr && process_number != nullptr &&
           system_handle != nullptr;
  }
};

template <class Function>
Function found(const char* name) {
  return reinterpret_cast<Function>(loader::symbol(name));
}

const Blacs& blacs() {
  static const Blacs functions = {found<Get>("Cblacs_get"), found<GridInfo>("Cblacs_gridinfo"),
                                  found<ProcessNumber>("Cblacs_pnum"),
                                  found<SystemHandle>("Cblacs2sys_handle")};
  return functions;
}

// What identifies a context. Its number does not: numbers are each process's own and used
// again after a grid's exit.
struct Identity {
  int rows, columns;
  std::vector<int> world_ranks;  // row by row
  auto operator<=>(const Identity&) const = default;
};

// Nothing where a process is not of MPI_COMM_WORLD.
std::optional<Identity> identity_of(int context, const GridShape& shape) {
  constexpr int system_context_of_grid = 10;
  int handle = 0;
  blacs().get(context, system_context_of_grid, &handle);
  std::vector<int> numbers;
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column) {
      numbers.push_back(blacs().process_number(context, row, column));
    }
  }
  std::vector<int> ranks = comm::world_ranks(blacs().system_handle(handle), numbers);
  if (std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end()) return std::nullopt;
  return Identity{shape.rows, shape.columns, std::move(ranks)};
}

}  // namespace

bool is_first_process() {
  static const auto info = found<ProcessInfo>("Cblacs_pinfo");
  if (info == nullptr) return false;
  int process = -1;
  int processes = 0;
  info(&process, &processes);
  return process == 0;
}

GridShape grid_shape(int context) {
  GridShape shape;
  if (context < 0 || !blacs().complete()) return shape;
  blacs().grid_info(context, &shape.rows, &shape.columns, &shape.my_row, &shape.my_column);
  return shape;
}

std::vector<Rank> ProcessGrid::ranks() const {
  std::vector<Rank> result;
  for (int r = 0; r < shape.rows * shape.columns; ++r) result.push_back(Rank{r});
  return result;
}

std::shared_ptr<ProcessGrid> process_grid(int context) {
  const GridShape shape = grid_shape(context);
  if (!shape.inside()) return nullptr;
  const std::optional<Identity> identity = identity_of(context, shape);
  if (!identity) return nullptr;
  // All members meet an identity for the first time in the same call: none is ever dropped.
  static std::map<Identity, std::shared_ptr<ProcessGrid>> known;
  std::shared_ptr<ProcessGrid>& grid = known[*identity];
  if (grid == nullptr) {
    grid = std::make_shared<ProcessGrid>(
        ProcessGrid{shape, std::make_unique<comm::Communicator>(identity->world_ranks)});
  }
  return grid;
}

void report_argument(int context, std::string routine, int position) {
  for (char& c : routine) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  static const auto complain = found<Complain>("pxerbla_");
  static const auto abort = found<Abort>("Cblacs_abort");
  if (complain != nullptr) {
    complain(&context, routine.c_str(), &position, static_cast<int>(routine.size()));
  } else {
    std::fprintf(stderr, "redblue: parameter %d of %s has an illegal value\n", position,
                 routine.c_str());
  }
  if (abort != nullptr) abort(context, -position);
  std::abort();
}

}  // namespace redblue::scalapack
