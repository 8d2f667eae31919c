// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/structure/region.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace redblue::frontend::llvm_ir {

namespace {

bool reaches_return(Block from) {
  std::vector<Block> open{from};
  llvm::SmallPtrSet<Block, 32> seen{from};
  while (!open.empty()) {
    Block block = open.back();
    open.pop_back();
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
    for (Block next : llvm::successors(block)) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

}  // namespace

bool may_return(Block from) {
  return reaches_return(from) || !reaches_return(&from->getParent()->getEntryBlock());
}

Region::Region(const llvm::Function& function, const llvm::LoopInfo& loops,
               const llvm::DominatorTree& dominators, const llvm::Loop* loop)
    : loops_(loops), dominators_(dominators), loop_(loop) {
  Block first = loop == nullptr ? &function.getEntryBlock() : loop->getHeader();
  visit(first);
  find_joins();
  if (!nodes_.at(first).lives) {
    stops_ = true;
    find_joins();
  }
}

const llvm::Loop* Region::inner(Block node) const {
  const llvm::Loop* loop = loops_.getLoopFor(node);
  if (loop == loop_) return nullptr;
  while (loop->getParentLoop() != loop_) loop = loop->getParentLoop();
  return loop;
}

std::vector<Block> Region::successors(Block node) const {
  std::vector<Block> found;
  const auto add = [&](Block successor) {
    const bool leaves = loop_ != nullptr && !loop_->contains(successor);
    const bool ends = loop_ != nullptr && successor == loop_->getHeader();
    Block to = ends ? nullptr : successor;
    if (!leaves && std::find(found.begin(), found.end(), to) == found.end()) found.push_back(to);
  };
  if (const llvm::Loop* loop = inner(node)) {
    llvm::SmallVector<llvm::BasicBlock*> exits;
    loop->getUniqueExitBlocks(exits);
    for (Block exit : exits) add(exit);
  } else {
    for (Block successor : llvm::successors(node)) add(successor);
    if (llvm::isa<llvm::ReturnInst>(node->getTerminator())) found.push_back(nullptr);
  }
  return found;
}

// Depth first without recursion: bodies can be long.
void Region::visit(Block first) {
  struct Frame {
    Block node;
    std::vector<Block> next;
    std::size_t done = 0;
  };
  std::vector<Frame> open;
  const auto enter = [&](Block node) {
    nodes_[node];
    open.push_back({node, successors(node)});
  };
  enter(first);
  while (!open.empty()) {
    Frame& frame = open.back();
    if (frame.done < frame.next.size()) {
      Block successor = frame.next[frame.done++];
      if (successor != nullptr && nodes_.count(successor) == 0) enter(successor);
      continue;
    }
    nodes_[frame.node].place = order_.size();
    order_.push_back(frame.node);
    open.pop_back();
  }
}

void Region::find_joins() {
  const auto later = [&](Block a, Block b) {  // the one further from the end
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    return nodes_[a].place > nodes_[b].place ? a : b;
  };
  for (Block block : order_) {
    Node& node = nodes_[block];
    std::vector<Block> next = successors(block);
    if (stops_ && next.empty()) next.push_back(nullptr);
    node.next.clear();
    for (Block successor : next) {
      if (successor == nullptr || nodes_[successor].lives) node.next.push_back(successor);
    }
    node.lives = !node.next.empty();
    if (!node.lives) continue;
    Block join = node.next.front();
    for (Block other : node.next) {
      while (join != other) {
        Block& further = later(join, other) == join ? join : other;
        further = nodes_[further].join;
      }
    }
    node.join = join;
  }
}

bool Region::continues(Block successor) const {
  if (loop_ != nullptr && successor == loop_->getHeader()) return true;
  if (loop_ != nullptr && !loop_->contains(successor)) return false;
  const auto found = nodes_.find(successor);
  return found != nodes_.end() && found->second.lives;
}

std::vector<Block> Region::between(Block from, Block to) const {
  std::vector<Block> passed;
  std::map<Block, bool> reached;
  for (Block next : nodes_.at(from).next) reached[next] = true;
  const std::size_t begin = nodes_.at(from).place;
  for (std::size_t place = begin; place-- > 0;) {
    Block node = order_[place];
    if (node == to || !reached[node]) continue;
    passed.push_back(node);
    for (Block next : nodes_.at(node).next) reached[next] = true;
  }
  return passed;
}

}  // namespace redblue::frontend::llvm_ir
