// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/values/known_calls.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "frontend/llvm/ir/names.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

std::string name_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr ? std::string() : callee->getName().str();
}

counting::Expr processes(Reading& reading) {
  reading.program.processes = symbolic::symbol("p");
  return *reading.program.processes;
}

counting::Expr rank(Reading& reading) {
  processes(reading);
  reading.program.rank = symbolic::symbol("rank");
  return *reading.program.rank;
}

}  // namespace

std::optional<counting::Expr> number_returned(const llvm::CallBase& call, Reading& reading) {
  const std::string name = name_of(call);
  if (name == "omp_get_num_threads" || name == "omp_get_max_threads" ||
      name == "omp_get_num_threads_" || name == "omp_get_max_threads_") {
    return processes(reading);
  }
  if (name == "omp_get_thread_num" || name == "omp_get_thread_num_") return rank(reading);
  return std::nullopt;
}

std::optional<counting::Expr> number_written(const llvm::CallBase& call, unsigned argument,
                                             Reading& reading) {
  const std::string name = name_of(call);
  if (argument != 1) return std::nullopt;
  if (name == "MPI_Comm_size" || name == "mpi_comm_size_") return processes(reading);
  if (name == "MPI_Comm_rank" || name == "mpi_comm_rank_") return rank(reading);
  return std::nullopt;
}

std::optional<std::vector<unsigned>> arguments_written(const llvm::CallBase& call) {
  // Fortran hands every argument over by its address; the last one is the error code.
  static const std::map<std::string, std::vector<unsigned>> written{
      {"mpi_send_", {6}},         {"mpi_isend_", {6, 7}},     {"mpi_recv_", {0, 6, 7}},
      {"mpi_irecv_", {0, 6, 7}},  {"mpi_bcast_", {0, 5}},     {"mpi_reduce_", {1, 7}},
      {"mpi_allreduce_", {1, 6}}, {"mpi_alltoall_", {3, 7}},  {"mpi_wait_", {0, 1, 2}},
      {"mpi_barrier_", {1}},      {"mpi_comm_rank_", {1, 2}}, {"mpi_comm_size_", {1, 2}},
      {"mpi_comm_split_", {3, 4}}};
  // Flang's input and output: a statement's state, handed on, and a number that is read.
  const auto starts = [name = std::string(name_of(call))](const char* with) {
    return name.starts_with(with);
  };
  if (starts("_FortranAioInputInteger") || starts("_FortranAioInputReal")) return {{1}};
  if (starts("_FortranAioBegin") || starts("_FortranAioEnd") ||
      (starts("_FortranAioOutput") && !starts("_FortranAioOutputDerived")))
    return std::vector<unsigned>{};
  const auto found = written.find(name_of(call));
  if (found == written.end()) return std::nullopt;
  return found->second;
}

std::optional<counting::Expr> number_named(const llvm::Value& value, Reading& reading) {
  if (!reading.threads.given() || !value.getType()->isIntegerTy() ||
      !(llvm::isa<llvm::Instruction>(value) || llvm::isa<llvm::Argument>(value))) {
    return std::nullopt;
  }
  if (const auto number = reading.thread_number(plain_name(value))) return *number;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load == nullptr) return std::nullopt;
  const llvm::DataLayout& layout = load->getModule()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  const SourceVariable pointer = variable_of(*base);
  if (pointer.name.empty()) return std::nullopt;
  if (const auto number = reading.thread_number(pointee(pointer, offset.getSExtValue()).name)) {
    return *number;
  }
  return std::nullopt;
}

bool compares_texts(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr) return false;
  const llvm::StringRef name = callee->getName();
  return name == "strcmp" || name == "strncmp" || name == "strcasecmp" || name == "memcmp" ||
         name.starts_with("_FortranACharacterCompareScalar");
}

}  // namespace redblue::frontend::llvm_ir
