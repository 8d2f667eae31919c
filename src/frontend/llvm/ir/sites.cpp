// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/ir/sites.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>
#include <utility>

#include "frontend/llvm/ir/names.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// The block's own place: that of its end, or of what stands before.
llvm::DebugLoc place_of_block(const llvm::BasicBlock& block) {
  if (block.getTerminator()->getDebugLoc()) return block.getTerminator()->getDebugLoc();
  for (const llvm::Instruction& instruction : block) {
    if (instruction.getDebugLoc()) return instruction.getDebugLoc();
  }
  return {};
}

// A phi has the place of its block.
llvm::DebugLoc place_of_value(const llvm::Instruction& number) {
  return llvm::isa<llvm::PHINode>(number) ? place_of_block(*number.getParent())
                                          : number.getDebugLoc();
}

}  // namespace

std::string calls_to(const llvm::DebugLoc& at) {
  std::string calls;
  for (const llvm::DILocation* one = at.get(); one != nullptr; one = one->getInlinedAt()) {
    const llvm::DISubprogram* function = one->getScope()->getSubprogram();
    if (!calls.empty()) calls += "@";
    if (function != nullptr) {
      calls +=
          (function->getLinkageName().empty() ? function->getName() : function->getLinkageName())
              .str();
    }
    calls += ":" + std::to_string(one->getLine()) + ":" + std::to_string(one->getColumn());
  }
  return calls;
}

std::string Site::name(const std::string& from) const {
  if (calls.empty()) return {};
  return kind + " " + calls + (from.empty() ? "" : "@" + from) + " " + std::to_string(number) +
         "/" + std::to_string(of);
}

Sites::Sites(const llvm::Function& function, const std::vector<llvm::Loop*>& loops) {
  std::map<const llvm::DILocation*, std::string> known;
  std::map<std::pair<std::string, std::string>, int> seen;
  const auto note = [&](const void* what, const std::string& kind, const llvm::DebugLoc& at) {
    const auto [calls, is_new] = known.try_emplace(at.get());
    if (is_new) calls->second = calls_to(at);
    Site site{kind, calls->second, 0, 0};
    site.number = ++seen[{site.kind, site.calls}];
    places_[what] = site;
  };
  for (const llvm::BasicBlock& block : function) {
    const bool branches = block.getTerminator()->getNumSuccessors() > 1;
    note(&block, branches ? "branch" : "block", place_of_block(block));
    for (const llvm::Instruction& instruction : block) {
      if (!instruction.getType()->isIntegerTy()) continue;
      // The order of phis is none of the source: names tell them apart.
      const bool is_phi = llvm::isa<llvm::PHINode>(instruction);
      note(&instruction, is_phi ? "phi " + plain_name(instruction) : instruction.getOpcodeName(),
           place_of_value(instruction));
    }
  }
  for (const llvm::Loop* loop : loops) note(loop, "loop", start_of(*loop));
  for (auto& [what, site] : places_) site.of = seen[{site.kind, site.calls}];
}

Site Sites::place(const std::string& kind, const void* of) const {
  const auto found = places_.find(of);
  if (found == places_.end()) return {};
  Site site = found->second;
  site.kind = kind + site.kind;
  return site;
}

Site Sites::block(const llvm::BasicBlock& block) const {
  return place("", &block);
}

Site Sites::value(const llvm::Instruction& number) const {
  return place("value of ", &number);
}

Site Sites::loop(const llvm::Loop& loop) const {
  return place("", &loop);
}

Site Sites::iterations(const llvm::Loop& loop) const {
  return place("iteration of ", &loop);
}

Site Sites::edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  int index = -1, edges = 0, next = 0;
  for (const llvm::BasicBlock* successor : llvm::successors(&from)) {
    if (successor == &to) {
      index = next;
      ++edges;
    }
    ++next;
  }
  if (edges != 1) return {};
  return place("edge " + std::to_string(index) + " of ", &from);
}

}  // namespace redblue::frontend::llvm_ir
