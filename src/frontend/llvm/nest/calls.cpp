// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/nest/calls.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/nest/recorder.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

std::string symbol_of(const llvm::CallBase& call) {
  const llvm::Function* function = call.getCalledFunction();
  return function == nullptr ? "" : function->getName().str();
}

bool starts_with_any(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& one) { return name.starts_with(one); });
}

// "matmul" for _FortranAMatmulReal8Real8; empty where it is no function of flang's library.
std::string run_time_function(const std::string& symbol) {
  const std::string prefix = "_FortranA";
  if (!symbol.starts_with(prefix)) return "";
  std::string name;
  for (std::size_t c = prefix.size(); c < symbol.size(); ++c) {
    const bool ends = !name.empty() && std::isupper(static_cast<unsigned char>(symbol[c])) != 0;
    if (ends) break;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(symbol[c])));
  }
  return name;
}

bool is_input_or_output(const std::string& name) {
  return starts_with_any(
      name, {"_FortranAio", "printf", "puts", "putchar", "fprintf", "scanf", "__isoc99_scanf",
             "_FortranACpuTime", "_FortranASystemClock", "omp_get_wtime", "clock", "mpi_wtime"});
}

bool touches_no_array(const std::string& name) {
  static const std::set<std::string> known = {
      "malloc", "free", "calloc", "exit", "abort", "_FortranAStopStatement", "omp_get_num_threads"};
  return known.count(name) != 0 ||
         starts_with_any(name, {"redblue.", "_FortranAProgram", "_FortranAStop",
                                "_FortranAReportFatal", "_FortranAPointerDeallocate", "__kmpc_",
                                "omp_", "llvm.", "_FortranAAllocatableDeallocate"});
}

}  // namespace

std::string mathematical_function(const llvm::CallBase& call) {
  static const std::map<std::string, std::string> others = {
      {"maxnum", "fmax"},  {"minnum", "fmin"},     {"maximum", "fmax"},
      {"minimum", "fmin"}, {"powi", "pow"},        {"fmuladd", "fma"},
      {"rint", "round"},   {"nearbyint", "round"}, {"abs", "abs"}};
  static const std::set<std::string> known = {
      "sqrt",  "cbrt",  "exp",  "exp2",     "expm1",  "log",    "log2",  "log10", "log1p",
      "pow",   "fabs",  "fma",  "sin",      "cos",    "tan",    "asin",  "acos",  "atan",
      "atan2", "sinh",  "cosh", "tanh",     "erf",    "erfc",   "floor", "ceil",  "round",
      "trunc", "hypot", "fmod", "copysign", "tgamma", "lgamma", "fmin",  "fmax"};
  std::string name = symbol_of(call);
  if (name.starts_with("_FortranAMod")) return "fmod";
  if (name.starts_with("_FortranAFPow")) return "pow";
  if (name.starts_with("_FortranANint")) return "round";
  if (name.starts_with("llvm.")) {
    name = name.substr(5);
    name = name.substr(0, name.find('.'));
  }
  const auto other = others.find(name);
  if (other != others.end()) return other->second;
  if (known.count(name) != 0) return name;
  if (name.size() > 1 && (name.back() == 'f' || name.back() == 'l')) name.pop_back();
  return known.count(name) != 0 ? name : "";
}

std::string called_name(const llvm::CallBase& call) {
  const std::string symbol = symbol_of(call);
  const std::string library = run_time_function(symbol);
  if (library == "assign") return "an assignment of whole arrays";
  if (!library.empty()) return library;
  if (symbol.empty()) return "a function called through a pointer";
  if (symbol.starts_with("llvm.mem")) return "a copy of whole arrays";
  return "'" + source_name(*call.getCalledFunction()) + "'";
}

void expect_harmless(const llvm::CallBase& call, Reading& reading) {
  const std::string name = symbol_of(call);
  if (!mathematical_function(call).empty()) return;
  if (name.starts_with("llvm.mem")) {
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
    const auto* to = llvm::dyn_cast<llvm::AllocaInst>(call.getArgOperand(0)->stripPointerCasts());
    const bool is_descriptor =
        bytes != nullptr && to != nullptr && to->getAllocatedType()->isStructTy();
    if (is_descriptor) return;
  } else if (is_input_or_output(name)) {
    reading.assume("input and output move nothing that counts");
    return;
  } else if (touches_no_array(name)) {
    return;
  }
  const std::string library = run_time_function(name);
  refuse(call,
         called_name(call) + (library.empty() ? " is called, whose body is not in the file"
                                              : " is left to Fortran's run-time library"),
         library.empty() ? "put its body into the file" : "write its loops");
}

}  // namespace redblue::frontend::llvm_ir
