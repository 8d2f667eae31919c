// SPDX-License-Identifier: BSD-3-Clause
// The blocks of one loop body (or of a function outside its loops), loops inside it as one node.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <map>
#include <vector>

namespace redblue::frontend::llvm_ir {

using Block = const llvm::BasicBlock*;

// Nodes are blocks; a loop inside stands for itself by its header. What follows the body (the next
// iteration, the function's return) is the null block.
class Region {
 public:
  // `loop` null: the function outside its loops.
  Region(const llvm::Function& function, const llvm::LoopInfo& loops,
         const llvm::DominatorTree& dominators, const llvm::Loop* loop);

  const llvm::LoopInfo& loops() const { return loops_; }
  const llvm::DominatorTree& dominators() const { return dominators_; }
  const llvm::Loop* loop() const { return loop_; }

  // The loop inside that begins with this block; null for a plain block.
  const llvm::Loop* inner(Block node) const;

  // Where control goes on within the region; null for its end. Without blocks that never reach
  // the end (a loop that is left, a program that stops).
  const std::vector<Block>& next(Block node) const { return nodes_.at(node).next; }

  // The first node on every path from `node` to the end.
  Block join(Block node) const { return nodes_.at(node).join; }

  // Whether the edge goes to a place that `next` lists.
  bool continues(Block successor) const;

  // All nodes that control passes on its way from `from` to `to`, in an order of execution.
  std::vector<Block> between(Block from, Block to) const;

 private:
  struct Node {
    std::vector<Block> next;
    Block join = nullptr;
    std::size_t place = 0;  // in order_
    bool lives = false;
  };
  std::vector<Block> successors(Block node) const;
  void visit(Block first);
  void find_joins();

  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  const llvm::Loop* loop_;
  bool stops_ = false;  // no path returns: the program's stop is the end
  std::map<Block, Node> nodes_;
  std::vector<Block> order_;  // successors before predecessors
};

// Whether the function may still return from here; true everywhere in one that never returns, whose
// end is the program's.
bool may_return(Block from);

}  // namespace redblue::frontend::llvm_ir
