// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/prepare.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

bool written_by_user(const llvm::Function& function) {
  return !function.isDeclaration() && function.getSubprogram() != nullptr &&
         !function.getName().contains(".omp_outlined") && !function.hasAvailableExternallyLinkage();
}

bool is_called(const llvm::Function& function) {
  return std::any_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && call->getFunction() != &function;
  });
}

std::string list(const std::vector<llvm::Function*>& functions) {
  std::string names;
  for (std::size_t f = 0; f < functions.size() && f < 12; ++f) {
    names += (f == 0 ? "" : ", ") + source_name(*functions[f]);
  }
  return functions.size() > 12 ? names + ", .." : names;
}

}  // namespace

llvm::Function& entry_of(llvm::Module& module, const std::string& path, const std::string& name) {
  std::vector<llvm::Function*> all, named, roots;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (function.getName() == "main" && module.getFunction(fortran_main) != nullptr) continue;
    if (written_by_user(function)) all.push_back(&function);
    if (!name.empty() && (function.getName() == name || source_name(function) == name ||
                          function.getName() == name + "_")) {
      named.push_back(&function);
    }
    const bool is_main = function.getName() == "main" || function.getName() == fortran_main;
    if (name.empty() && is_main) return function;
    if (written_by_user(function) && !is_called(function)) roots.push_back(&function);
  }
  if (!name.empty()) {
    if (named.size() == 1) return *named.front();
    throw Error(path,
                named.empty() ? "no function is called " + name
                              : std::to_string(named.size()) + " functions are called " + name,
                named.empty() ? (all.empty() ? "it defines none" : "it has " + list(all))
                              : "give the symbol of one: " + named.front()->getName().str());
  }
  if (roots.size() == 1) return *roots.front();
  if (all.empty()) throw Error(path, "it defines no function");
  throw Error(path, "it has several functions to begin with",
              "give --function one of " + list(roots.empty() ? all : roots));
}

}  // namespace redblue::frontend::llvm_ir
