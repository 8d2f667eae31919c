// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/run/counters.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <utility>

#include "frontend/llvm/module/openmp.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// Regions within regions are told apart to this depth.
constexpr int most_forks = 4;

struct Point {
  llvm::BasicBlock* from = nullptr;  // an edge begins here; null: the end of the block `to`
  llvm::BasicBlock* to = nullptr;
  std::size_t counter = 0;
};

struct Number {
  llvm::Instruction* value = nullptr;
  std::size_t index = 0;
};

class Inserter {
 public:
  Inserter(Source& source, const std::set<std::string>& wanted)
      : module_(*source.module), source_(source), wanted_(wanted) {}

  Counters run() {
    for (llvm::CallBase* fork : forks_of(module_)) {
      if (region_of(*fork) == nullptr) continue;
      all_.forks.push_back({fork->getFunction(), region_of(*fork), calls_to(fork->getDebugLoc())});
      forks_.push_back(fork);
    }
    // All places first: counters change the blocks that they are found by.
    for (llvm::Function* function : source_.functions) find(*function);
    all_.loops = source_.numbers.size();
    for (Point& point : points_) point.counter += all_.first_place();
    for (const Number& number : numbers_) insert(number);
    for (const Point& point : loop_points_) insert(point);
    for (const Point& point : points_) insert(point);
    follow_forks();
    note_size("redblue_counters", all_.first_value());
    note_size("redblue_loop_counters", all_.first_place());
    note_size("redblue_values", all_.values.size());
    note_size("redblue_forks", all_.forks.size());
    return std::move(all_);
  }

 private:
  void find(llvm::Function& function);
  bool is_wanted(const llvm::Function& function, const Site& site) const {
    if (site.calls.empty()) return false;
    const std::vector<std::string> ways = all_.ways_to(function);
    return std::any_of(ways.begin(), ways.end(),
                       [&](const std::string& from) { return wanted_.contains(site.name(from)); });
  }
  void add(llvm::Function& function, const Site& site, const Point& point) {
    if (point.to == nullptr || !is_wanted(function, site)) return;
    points_.push_back(point);
    points_.back().counter = all_.places.size();
    all_.places.push_back({&function, site});
  }
  void insert(const Point& point);
  void insert(const Number& number);
  void follow_forks();
  llvm::FunctionCallee runtime(const char* name, llvm::Type* result,
                               const std::vector<llvm::Type*>& arguments) {
    return module_.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
  }
  void note_size(const char* name, std::size_t size) {
    auto* number = llvm::Type::getInt32Ty(module_.getContext());
    new llvm::GlobalVariable(module_, number, true, llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantInt::get(number, size), name);
  }

  llvm::Module& module_;
  Source& source_;
  const std::set<std::string>& wanted_;
  Counters all_;
  std::vector<llvm::CallBase*> forks_;
  std::vector<Point> loop_points_, points_;
  std::vector<Number> numbers_;
  std::map<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>, llvm::BasicBlock*> split_;
};

void Inserter::find(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<llvm::Loop*> own;  // asking loops are none of the source
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_asking_loop(*loop)) own.push_back(loop);
  }
  const Sites sites(function, own);
  std::map<const llvm::Loop*, Region> regions;
  for (llvm::Loop* loop : own) {
    const auto outer = regions.try_emplace(loop->getParentLoop(), function, loops, dominators,
                                           loop->getParentLoop());
    const CountingPoint point = counting_point(*loop, guard_of(*loop, outer.first->second));
    const auto id = static_cast<std::size_t>(number_of(*loop, source_.numbers));
    Point iteration{const_cast<llvm::BasicBlock*>(point.from),
                    const_cast<llvm::BasicBlock*>(point.to), 2 * id};
    loop_points_.push_back(iteration);
    add(function, sites.iterations(*loop), iteration);
    if (llvm::BasicBlock* before = loop->getLoopPreheader()) {
      loop_points_.push_back({nullptr, before, 2 * id + 1});
      add(function, sites.loop(*loop), loop_points_.back());
    }
  }
  for (llvm::BasicBlock& block : function) {
    add(function, sites.block(block), {nullptr, &block, 0});
    for (llvm::BasicBlock* successor : llvm::successors(&block)) {
      add(function, sites.edge(block, *successor), {&block, successor, 0});
    }
    for (llvm::Instruction& value : block) {
      if (!value.getType()->isIntegerTy() || !is_wanted(function, sites.value(value))) continue;
      numbers_.push_back({&value, all_.values.size()});
      all_.values.push_back({&function, sites.value(value)});
    }
  }
}

void Inserter::insert(const Point& point) {
  llvm::BasicBlock* block = point.to;
  llvm::BasicBlock::iterator place;
  if (point.from == nullptr) {
    place = block->getTerminator()->getIterator();
  } else {
    llvm::BasicBlock*& between = split_[{point.from, point.to}];
    if (between == nullptr) between = llvm::SplitEdge(point.from, point.to);
    block = between;
    place = block->getFirstInsertionPt();
  }
  llvm::IRBuilder<> builder(block, place);
  builder.CreateCall(runtime("redblue_count", builder.getVoidTy(), {builder.getInt32Ty()}),
                     {builder.getInt32(static_cast<unsigned>(point.counter))});
}

void Inserter::insert(const Number& number) {
  const auto place = number.value->getInsertionPointAfterDef();
  if (!place) return;
  llvm::IRBuilder<> builder((*place)->getParent(), *place);
  llvm::Value* wide = number.value->getType()->isIntegerTy(1)
                          ? builder.CreateZExt(number.value, builder.getInt64Ty())
                          : builder.CreateSExtOrTrunc(number.value, builder.getInt64Ty());
  builder.CreateCall(
      runtime("redblue_value", builder.getVoidTy(), {builder.getInt32Ty(), builder.getInt64Ty()}),
      {builder.getInt32(static_cast<unsigned>(number.index)), wide});
}

// Threads take the calls that lead to the region that they run from the one who begins them.
void Inserter::follow_forks() {
  std::set<llvm::Function*> regions;
  for (std::size_t f = 0; f < forks_.size(); ++f) {
    llvm::IRBuilder<> builder(forks_[f]);
    builder.CreateCall(runtime("redblue_fork", builder.getVoidTy(), {builder.getInt32Ty()}),
                       {builder.getInt32(static_cast<unsigned>(f))});
    regions.insert(region_of(*forks_[f]));
  }
  for (llvm::Function* region : regions) {
    if (region->isDeclaration()) continue;
    llvm::IRBuilder<> begin(&*region->getEntryBlock().getFirstInsertionPt());
    begin.CreateCall(runtime("redblue_begin_region", begin.getVoidTy(), {}));
    for (llvm::BasicBlock& block : *region) {
      if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
      llvm::IRBuilder<> end(block.getTerminator());
      end.CreateCall(runtime("redblue_end_region", end.getVoidTy(), {}));
    }
  }
}

void add_ways(const Counters& counters, const llvm::Function& function, const std::string& behind,
              int depth, std::vector<std::string>& ways) {
  bool is_region = false;
  for (const Fork& fork : counters.forks) {
    if (fork.region != &function) continue;
    is_region = true;
    if (depth == most_forks) continue;
    add_ways(counters, *fork.function, behind.empty() ? fork.calls : behind + "@" + fork.calls,
             depth + 1, ways);
  }
  if (!is_region) ways.push_back(behind);
}

}  // namespace

std::vector<std::string> Counters::ways_to(const llvm::Function& function) const {
  std::vector<std::string> ways;
  add_ways(*this, function, "", 0, ways);
  return ways;
}

std::string Counters::calls_by(std::int64_t context) const {
  const auto kinds = static_cast<std::int64_t>(forks.size()) + 1;
  std::string calls;
  for (; context > 0; context = (context - 1) / kinds) {
    const auto fork = static_cast<std::size_t>((context - 1) % kinds);
    if (fork >= forks.size()) return {};
    calls += (calls.empty() ? "" : "@") + forks[fork].calls;
  }
  return calls;
}

Counters insert_counters(Source& source, const std::set<std::string>& wanted) {
  return Inserter(source, wanted).run();
}

}  // namespace redblue::frontend::llvm_ir
