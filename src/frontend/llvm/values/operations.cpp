// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/values/operations.hpp"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

namespace redblue::frontend::llvm_ir {

namespace {

std::string element_type(const llvm::Type& type) {
  const llvm::Type& element = *type.getScalarType();
  if (element.isFloatTy()) return "f32";
  if (element.isDoubleTy()) return "f64";
  if (element.isX86_FP80Ty()) return "f80";
  if (element.isFP128Ty()) return "f128";
  if (element.isHalfTy() || element.isBFloatTy()) return "f16";
  if (element.isPointerTy()) return "ptr";
  if (element.isIntegerTy()) return "i" + std::to_string(element.getIntegerBitWidth());
  return "other";
}

std::int64_t elements(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector == nullptr ? 1 : static_cast<std::int64_t>(vector->getNumElements());
}

// Floating-point operations of one instruction on one element.
std::int64_t flops(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FNeg:
      return 1;
    default:
      break;
  }
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic == nullptr) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) return 0;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    return name == "sqrt" || name == "sqrtf" ? 1 : 0;
  }
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      return 2;
    case llvm::Intrinsic::sqrt:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

counting::Operations operations_of(const llvm::BasicBlock& block) {
  counting::Operations operations;
  for (const llvm::Instruction& instruction : block) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      operations.loads[element_type(*load->getType())] += elements(*load->getType());
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Type& type = *store->getValueOperand()->getType();
      operations.stores[element_type(type)] += elements(type);
    } else if (const std::int64_t count = flops(instruction); count > 0) {
      const llvm::Type& type = *instruction.getType();
      operations.flops[element_type(type)] += count * elements(type);
    }
  }
  return operations;
}

bool is_empty(const counting::Operations& operations) {
  return operations.flops.empty() && operations.loads.empty() && operations.stores.empty();
}

}  // namespace redblue::frontend::llvm_ir
