// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/module/nests.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <vector>

namespace redblue::frontend::llvm_ir {

namespace {

bool is_real(const llvm::Type& type) {
  const auto* pair = llvm::dyn_cast<llvm::StructType>(&type);
  if (pair == nullptr) return type.isFloatingPointTy();
  return pair->getNumElements() == 2 && pair->getElementType(0)->isFloatingPointTy() &&
         pair->getElementType(0) == pair->getElementType(1);
}

// A record, and no complex number.
bool is_record(const llvm::Type& type) {
  return llvm::isa<llvm::StructType>(type) && !is_real(type);
}

using Path = std::vector<unsigned>;

// The way to each member that is no record or array itself.
void members(llvm::Type* type, Path& path, std::vector<Path>& found) {
  constexpr std::size_t most = 200;
  if (found.size() > most) return;
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    for (unsigned m = 0; m < record->getNumElements(); ++m) {
      path.push_back(m);
      members(record->getElementType(m), path, found);
      path.pop_back();
    }
    return;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (unsigned m = 0; m < array->getNumElements(); ++m) {
      path.push_back(m);
      members(array->getElementType(), path, found);
      path.pop_back();
    }
    return;
  }
  found.push_back(path);
}

llvm::Value* member(llvm::IRBuilder<>& at, llvm::Type* record, llvm::Value* pointer,
                    const Path& path) {
  std::vector<llvm::Value*> indices{at.getInt32(0)};
  for (const unsigned m : path) indices.push_back(at.getInt32(m));
  return at.CreateInBoundsGEP(record, pointer, indices);
}

// A member of a record that is put together somewhere above.
llvm::Value* part_of(llvm::IRBuilder<>& at, llvm::Value* record, const Path& path) {
  llvm::Value* known = llvm::FindInsertedValue(record, path);
  return known != nullptr ? known : at.CreateExtractValue(record, path);
}

// n == 0 ? 1 : low, where it becomes part of a descriptor.
void leave_out_empty_arrays(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (choice == nullptr || !choice->getType()->isIntegerTy(64)) continue;
    const auto* test = llvm::dyn_cast<llvm::ICmpInst>(choice->getCondition());
    const auto* one = llvm::dyn_cast<llvm::ConstantInt>(choice->getTrueValue());
    if (test == nullptr || test->getPredicate() != llvm::CmpInst::ICMP_EQ || one == nullptr ||
        !one->isOne())
      continue;
    const auto* zero = llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1));
    if (zero == nullptr || !zero->isZero()) continue;
    llvm::Value* low = choice->getFalseValue();
    choice->replaceUsesWithIf(
        low, [](const llvm::Use& use) { return llvm::isa<llvm::InsertValueInst>(use.getUser()); });
  }
}

}  // namespace

void split_records(llvm::Function& function) {
  leave_out_empty_arrays(function);
  std::vector<llvm::Instruction*> whole;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && is_record(*store->getValueOperand()->getType()))
      whole.push_back(&instruction);
    if (llvm::isa<llvm::LoadInst>(instruction) && is_record(*instruction.getType()))
      whole.push_back(&instruction);
  }
  for (llvm::Instruction* one : whole) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(one);
    llvm::Type* record = store != nullptr ? store->getValueOperand()->getType() : one->getType();
    Path path;
    std::vector<Path> all;
    members(record, path, all);
    llvm::IRBuilder<> at(one);
    // What they alias with, they do as a whole.
    const auto copy_of = [one](llvm::Instruction* access) {
      access->copyMetadata(*one, {llvm::LLVMContext::MD_tbaa});
      return access;
    };
    if (store != nullptr) {
      for (const Path& m : all)
        copy_of(at.CreateStore(part_of(at, store->getValueOperand(), m),
                               member(at, record, store->getPointerOperand(), m)));
    } else {
      llvm::Value* value = llvm::PoisonValue::get(record);
      llvm::Value* pointer = llvm::cast<llvm::LoadInst>(one)->getPointerOperand();
      for (const Path& m : all) {
        llvm::Type* type = llvm::ExtractValueInst::getIndexedType(record, m);
        llvm::Value* part = copy_of(at.CreateLoad(type, member(at, record, pointer, m)));
        value = at.CreateInsertValue(value, part, m);
      }
      one->replaceAllUsesWith(value);
    }
    one->eraseFromParent();
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction);
    if (part == nullptr) continue;
    llvm::Value* known = llvm::FindInsertedValue(part->getAggregateOperand(), part->getIndices());
    if (known != nullptr) part->replaceAllUsesWith(known);
  }
}

void hold_reals(llvm::Function& function, bool hold) {
  const auto is_variable = [](const llvm::Value* pointer) {
    return llvm::isa<llvm::AllocaInst>(pointer->stripPointerCasts());
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (load != nullptr && is_real(*load->getType()) && is_variable(load->getPointerOperand()))
      load->setVolatile(hold);
    if (store != nullptr && is_real(*store->getValueOperand()->getType()) &&
        is_variable(store->getPointerOperand()))
      store->setVolatile(hold);
  }
}

void reals_to_memory(llvm::Function& function) {
  std::vector<llvm::PHINode*> chosen;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
    if (phi != nullptr && is_real(*phi->getType())) chosen.push_back(phi);
  }
  for (llvm::PHINode* phi : chosen) {
    // What the last test of a loop reads can be read where the test stands after the loop.
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(phi->getIncomingValue(0));
    if (phi->getNumIncomingValues() == 1 && load != nullptr &&
        load->getParent() == phi->getIncomingBlock(0)) {
      phi->replaceAllUsesWith(phi->getIncomingValue(0));
      phi->eraseFromParent();
    } else {
      llvm::DemotePHIToStack(phi);
    }
  }
}

}  // namespace redblue::frontend::llvm_ir
