// SPDX-License-Identifier: BSD-3-Clause
// Which blocks decide that a loop goes on.
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/structure/structure.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// The block goes on in the loop by exactly one of its two edges.
Block stays_at(Block block, const llvm::Loop& loop) {
  const auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (end == nullptr || !end->isConditional()) return nullptr;
  Block yes = end->getSuccessor(0), no = end->getSuccessor(1);
  if (loop.contains(yes) == loop.contains(no)) return nullptr;
  return loop.contains(yes) ? yes : no;
}

Block leaves_to(Block block, const llvm::Loop& loop) {
  for (Block successor : llvm::successors(block)) {
    if (!loop.contains(successor)) return successor;
  }
  return nullptr;
}

bool changes_nothing(Block block) {
  return std::none_of(block->begin(), block->end(), [](const llvm::Instruction& i) {
    return i.mayWriteToMemory() && !llvm::isa<llvm::DbgInfoIntrinsic>(i);
  });
}

// An edge to where the program stops ends no loop: the program is assumed to go on.
bool is_exit(Block block, const llvm::Loop& loop, const Region& outer) {
  Block to = leaves_to(block, loop);
  const bool further_out = loop.getParentLoop() != nullptr && !loop.getParentLoop()->contains(to);
  return (further_out && may_return(to)) || outer.continues(to);
}

}  // namespace

Guard guard_of(const llvm::Loop& loop, const Region& outer) {
  Guard guard;
  Block header = loop.getHeader(), latch = loop.getLoopLatch();
  llvm::SmallVector<llvm::BasicBlock*> leaving;
  loop.getExitingBlocks(leaving);
  std::vector<Block> exits;
  for (Block block : leaving) {
    if (is_exit(block, loop, outer)) exits.push_back(block);
  }
  const auto exits_at = [&](Block block) {
    return std::find(exits.begin(), exits.end(), block) != exits.end() &&
           stays_at(block, loop) != nullptr;
  };
  if (exits_at(header) && header != latch) {
    Block test = header;
    guard.tests.push_back(test);
    guard.body = stays_at(test, loop);
    while (guard.body != latch && exits_at(guard.body) && changes_nothing(guard.body) &&
           guard.body->getSinglePredecessor() == test &&
           outer.loops().getLoopFor(guard.body) == &loop) {
      test = guard.body;
      guard.tests.push_back(test);
      guard.body = stays_at(test, loop);
    }
  } else {
    guard.at_end = true;
    for (Block block : exits) {
      const bool each_time = outer.loops().getLoopFor(block) == &loop &&
                             outer.dominators().dominates(block, latch) && exits_at(block);
      if (each_time && (guard.tests.empty() || block == latch)) guard.tests.assign(1, block);
    }
  }
  guard.ends_early = exits.size() > guard.tests.size();
  return guard;
}

CountingPoint counting_point(const llvm::Loop& loop, const Guard& guard) {
  if (guard.at_end) return {nullptr, loop.getHeader()};
  return {guard.tests.back(), guard.body};
}

int number_of(const llvm::Loop& loop, LoopNumbers& numbers) {
  const counting::Location at = location_of(loop);
  const llvm::DebugLoc start = start_of(loop);
  const unsigned column = start ? start.getCol() : 0;
  std::string key = written_in(loop) + " " + at.file + ":" + std::to_string(at.line) + ":" +
                    std::to_string(column);
  if (at.line == 0) key += " " + loop.getHeader()->getName().str();
  // The loops of an array expression all have its place; those around this one tell them apart.
  for (const llvm::Loop* around = loop.getParentLoop(); around != nullptr;
       around = around->getParentLoop()) {
    const llvm::DebugLoc other = start_of(*around);
    if (is_asking_loop(*around)) continue;
    if (start && other && other.getLine() == start.getLine() && other.getCol() == start.getCol())
      key += "'";
  }
  return numbers.try_emplace(key, static_cast<int>(numbers.size()) + 1).first->second;
}

}  // namespace redblue::frontend::llvm_ir
