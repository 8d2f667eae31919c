// SPDX-License-Identifier: BSD-3-Clause
// What stores and calls write, and where pointers lead that are kept in memory.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <array>

#include "frontend/llvm/values/known_calls.hpp"
#include "frontend/llvm/values/memory.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// Globals that a function defined here stores to by name, or one that it calls.
void stored_globals(const llvm::Function& function, std::vector<const llvm::Function*>& seen,
                    std::vector<const llvm::Value*>& globals) {
  if (std::find(seen.begin(), seen.end(), &function) != seen.end()) return;
  seen.push_back(&function);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value* object = llvm::getUnderlyingObject(store->getPointerOperand());
      if (llvm::isa<llvm::GlobalVariable>(object)) globals.push_back(object);
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (const llvm::Function* callee = call->getCalledFunction()) {
        stored_globals(*callee, seen, globals);
      }
    }
  }
}

bool leads_somewhere(const llvm::Value& pointer) {
  return !llvm::isa<llvm::ConstantPointerNull>(pointer) && !llvm::isa<llvm::UndefValue>(pointer);
}

// Whether the function, or one that it calls, may store a pointer it was given.
bool keeps_pointers(const llvm::Function& function, std::vector<const llvm::Function*>& seen) {
  if (std::find(seen.begin(), seen.end(), &function) != seen.end()) return false;
  seen.push_back(&function);
  if (function.isDeclaration()) {
    static constexpr std::array none{
        "free",      "str",    "MPI_",          "mpi_",         "__isoc99_", "printf",
        "fprintf",   "puts",   "sprintf",       "snprintf",     "fputs",     "fgets",
        "fread",     "fwrite", "fflush",        "fclose",       "fopen",     "qsort",
        "exit",      "abort",  "__assert_fail", "gettimeofday", "time",      "ctime",
        "localtime", "atoi",   "omp_",          "__kmpc_",      "_Fortran"};
    return std::none_of(none.begin(), none.end(),
                        [&](const char* name) { return function.getName().starts_with(name); });
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value* stored = store->getValueOperand();
      const bool local =
          llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
      if (stored->getType()->isPointerTy() && !llvm::isa<llvm::ConstantPointerNull>(stored) &&
          !local) {
        return true;
      }
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || keeps_pointers(*callee, seen)) return true;
  }
  return false;
}

// Functions of the C library and of MPI that read what their arguments point to and keep nothing.
bool only_reads(const llvm::CallBase& call, unsigned argument) {
  if (call.onlyReadsMemory(argument) || call.onlyReadsMemory()) return true;
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  if (const auto written = arguments_written(call)) {
    return std::find(written->begin(), written->end(), argument) == written->end();
  }
  const llvm::StringRef name = callee->getName();
  return name == "printf" || name == "puts" || name == "free" || name == "atoi" ||
         name == "strlen" || (name == "fprintf" && argument > 0) ||
         name.starts_with("_FortranAio") || name.starts_with("__kmpc_") ||
         name == "_FortranAStopStatement";
}

}  // namespace

void Memory::note_writes(llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const std::uint64_t bytes =
          layout_.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue();
      for (const Place& p : places(*store->getPointerOperand())) {
        writes_.push_back({store, p, bytes});
      }
      if (!store->getValueOperand()->getType()->isPointerTy()) continue;
      for (const Place& at : places(*store->getPointerOperand())) {
        for (const Place& p : places(*store->getValueOperand())) {
          if (leads_somewhere(*objects_[p.object].value)) kept_.push_back({at, p.object});
        }
      }
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      places(*load->getPointerOperand());  // so that all pointers are known
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      note_call(*call);
    } else if (instruction.mayWriteToMemory() && instruction.getNumOperands() > 0) {
      for (const Place& p : places(*instruction.getOperand(0))) {
        writes_.push_back({&instruction, p, 0});
      }
    }
  }
}

// True if pointers were found that were not known yet.
bool Memory::note_stored_pointers(llvm::Function& function) {
  const std::size_t before = loaded_.size();
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->getType()->isPointerTy() || loaded_.contains(load)) continue;
    const std::uint64_t bytes = layout_.getTypeStoreSize(load->getType()).getKnownMinValue();
    const auto from = place(*load->getPointerOperand());
    if (!from) continue;
    const auto* store =
        llvm::dyn_cast_or_null<llvm::StoreInst>(last_writer(*load, writers(*from, bytes)));
    if (store == nullptr || store->getValueOperand()->getType() != load->getType()) continue;
    const llvm::Loop* around = loops_.getLoopFor(store->getParent());
    const bool same_loop = around == nullptr || around->contains(load->getParent());
    if (writes_exactly(*store, *from) && same_loop) loaded_[load] = store->getValueOperand();
  }
  return loaded_.size() > before;
}

void Memory::note_call(const llvm::CallBase& call) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call)) return;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (intrinsic->isAssumeLikeIntrinsic() || !intrinsic->mayWriteToMemory()) return;
  }
  if (const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
    for (const Place& to : places(*transfer->getRawDest())) {
      for (const Place& from : places(*transfer->getRawSource())) {
        copies_.push_back({{to.object, std::nullopt}, from});
      }
    }
  }
  std::vector<Place> handed;
  for (unsigned a = 0; a < call.arg_size(); ++a) {
    const llvm::Value* argument = call.getArgOperand(a);
    if (!argument->getType()->isPointerTy() || only_reads(call, a)) continue;
    for (const Place& p : places(*argument)) {
      // What is handed over may be written from there on; the object's beginning is written by
      // functions that yield one number.
      writes_.push_back({&call, {p.object, p.offset}, 0});
      handed.push_back(p);
    }
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee != nullptr && !callee->isDeclaration()) {
    std::vector<const llvm::Function*> seen;
    std::vector<const llvm::Value*> globals;
    stored_globals(*callee, seen, globals);
    for (const llvm::Value* global : globals) handed.push_back({object_of(*global), std::nullopt});
  }
  if (!handed.empty() && !llvm::isa<llvm::IntrinsicInst>(call)) handed_.emplace_back(&call, handed);
}

// All objects that pointers in the memory of these lead to, with them.
std::set<std::size_t> Memory::reached_from(std::set<std::size_t> objects) const {
  for (bool more = true; more;) {
    const std::size_t before = objects.size();
    for (const Kept& kept : kept_) {
      if (objects.contains(kept.at.object)) objects.insert(kept.object);
    }
    for (std::size_t k = 0; k < objects_.size(); ++k) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(objects_[k].value);
      if (load == nullptr || objects.contains(k)) continue;
      for (const Place& from : places(*load->getPointerOperand())) {
        if (objects.contains(from.object)) objects.insert(k);
      }
    }
    more = objects.size() != before;
  }
  return objects;
}

// A function may store each pointer it is given behind each other one. One of this program, which
// is not taken in, may write all that they lead to.
void Memory::note_handed() {
  for (const auto& [call, handed] : handed_) {
    std::set<std::size_t> objects;
    for (const Place& place : handed) objects.insert(place.object);
    const llvm::Function* callee = call->getCalledFunction();
    const bool is_ours = callee == nullptr || !callee->isDeclaration();
    if (is_ours) {
      for (const std::size_t object : objects = reached_from(objects)) {
        writes_.push_back({call, {object, std::nullopt}, 0});
      }
    }
    std::vector<const llvm::Function*> seen;
    if (callee != nullptr && !keeps_pointers(*callee, seen)) continue;
    for (const std::size_t at : objects) {
      for (const std::size_t object : objects) kept_.push_back({{at, std::nullopt}, object});
    }
  }
}

// Both may be one place of memory: the same object's, or objects that loaded pointers lead to.
bool Memory::may_be_same(const Place& a, const Place& b) const {
  const std::uint64_t bytes = layout_.getPointerSize();
  if (!overlap({0, a.offset}, bytes, {0, b.offset}, bytes)) return false;
  return a.object == b.object || leads_to(a.object, b.object) || leads_to(b.object, a.object) ||
         objects_[a.object].targets.anyCommon(objects_[b.object].targets);
}

// Where a pointer loaded from `from` was stored: there, or where it was copied from.
void Memory::add_sources(std::vector<Place>& from) const {
  for (std::size_t k = 0; k < from.size(); ++k) {
    for (const Copy& copy : copies_) {
      const bool known = std::any_of(from.begin(), from.end(), [&copy](const Place& place) {
        return place.object == copy.from.object && !place.offset;
      });
      if (!known && may_be_same(copy.to, from[k])) from.push_back({copy.from.object, std::nullopt});
    }
  }
}

// What loaded pointers lead to: what the program stores where they are loaded from.
void Memory::find_targets() {
  std::vector<std::pair<std::size_t, std::vector<Place>>> loads;
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(objects_[k].value);
    if (load != nullptr) loads.emplace_back(k, places(*load->getPointerOperand()));
  }
  const auto number = [](std::size_t object) { return static_cast<unsigned>(object); };
  for (Object& object : objects_) object.targets.resize(number(objects_.size()));
  for (bool more = true; more;) {
    more = false;
    for (auto& [object, from] : loads) {
      add_sources(from);
      llvm::BitVector& targets = objects_[object].targets;
      const unsigned before = targets.count();
      for (const Kept& kept : kept_) {
        const bool found = std::any_of(from.begin(), from.end(), [&](const Place& place) {
          return may_be_same(kept.at, place);
        });
        if (!found) continue;
        targets.set(number(kept.object));
        targets |= objects_[kept.object].targets;
      }
      more = more || targets.count() != before;
    }
  }
}

}  // namespace redblue::frontend::llvm_ir
