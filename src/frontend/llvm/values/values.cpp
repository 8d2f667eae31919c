// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/values/values.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "frontend/llvm/values/known_calls.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Expr;

Expr power_of_two(const Expr& exponent) {
  return GiNaC::pow(2, exponent);
}

Expr truncated(const GiNaC::numeric& dividend, const GiNaC::numeric& divisor) {
  return GiNaC::iquo(dividend, divisor);
}

bool is_number(const Expr& e) {
  return GiNaC::is_a<GiNaC::numeric>(e);
}

}  // namespace

Values::Values(llvm::Function& function, const llvm::LoopInfo& loops,
               const llvm::DominatorTree& dominators, const Sites& sites, Reading& reading)
    : layout_(function.getParent()->getDataLayout()),
      loops_(loops),
      memory_(function, dominators, loops),
      sites_(sites),
      reading_(reading) {
  for (const Place& place : memory_.pointers()) reading_.input(memory_.route(place));
}

bool Values::counts(const llvm::Value& value) {
  return value.getType()->isIntegerTy() || value.getType()->isPointerTy();
}

void Values::define(const llvm::Value& value, const Expr& formula) {
  if (!defined_.insert_or_assign(&value, formula).second) derived_.clear();
}

Expr Values::of(const llvm::Value& value) {
  if (const auto number = number_named(value, reading_)) return *number;
  const auto defined = defined_.find(&value);
  if (defined != defined_.end()) return defined->second;
  const auto derived = derived_.find(&value);
  if (derived != derived_.end()) return derived->second;
  if (!deriving_.insert(&value).second) return datum(llvm::cast<llvm::Instruction>(value));
  try {
    const Expr formula = derive(value);
    deriving_.erase(&value);
    derived_[&value] = formula;
    return formula;
  } catch (...) {
    deriving_.erase(&value);
    throw;
  }
}

Expr Values::datum(const llvm::Instruction& at, const std::string& text) {
  return datum(at, text, loops_.getLoopFor(at.getParent()));
}

Expr Values::datum(const llvm::Instruction& at, const std::string& text, const llvm::Loop* scope) {
  const auto known = data_.find(&at);
  if (known != data_.end()) return known->second;
  std::string name = plain_name(at);
  if (name.empty()) name = stored_name(at);
  const Expr symbol = reading_.datum(name.empty() ? "data" : name, location_of(at),
                                     text.empty() ? name : text, scope);
  data_[&at] = symbol;
  if (scope != nullptr) return symbol;
  note_value(symbol, at);
  const std::string parameter = GiNaC::ex_to<GiNaC::symbol>(symbol).get_name();
  // What a call yields is taken as the same in every process.
  if (!llvm::isa<llvm::CallBase>(at)) reading_.program.computed.insert(parameter);
  if (compares_texts(at)) reading_.program.signs.insert(parameter);
  return symbol;
}

// Where a run finds what the parameter is worth.
void Values::note_value(const Expr& parameter, const llvm::Instruction& at) {
  const std::string site = sites_.value(at).name();
  const std::string name = GiNaC::ex_to<GiNaC::symbol>(parameter).get_name();
  if (!site.empty()) reading_.program.values.emplace(name, site);
}

Expr Values::derive(const llvm::Value& value) {
  if (const auto* c = llvm::dyn_cast<llvm::Constant>(&value)) return constant(*c);
  if (llvm::isa<llvm::Argument>(value)) {
    const std::string name = plain_name(value);
    const auto& argument = llvm::cast<llvm::Argument>(value);
    const counting::Symbol symbol = reading_.parameter(name, "argument " + name);
    if (value.getType()->isIntegerTy()) {
      reading_.input(
          {symbol.get_name(), argument.getArgNo(), {}, {}, value.getType()->getIntegerBitWidth()});
    }
    return symbol;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) return reading_.parameter(plain_name(value), "value");
  if (!counts(value)) return datum(*instruction);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value))
    return binary(*operation);
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&value)) return address(*gep);
  if (const auto* p = llvm::dyn_cast<llvm::PHINode>(&value)) return phi(*p);
  if (const auto* l = llvm::dyn_cast<llvm::LoadInst>(&value)) return load(*l);
  if (const auto* c = llvm::dyn_cast<llvm::CallBase>(&value)) return call(*c);
  if (const auto* s = llvm::dyn_cast<llvm::SelectInst>(&value)) return select(*s);
  if (llvm::isa<llvm::FPToSIInst>(value) || llvm::isa<llvm::FPToUIInst>(value)) {
    return rounded(*instruction->getOperand(0), *instruction);
  }
  if (llvm::isa<llvm::AllocaInst>(value)) {
    const Expr address = reading_.fresh("&" + plain_name(value), nullptr);
    return data_.try_emplace(&value, address).first->second;
  }
  const llvm::Value* operand =
      instruction->getNumOperands() > 0 ? instruction->getOperand(0) : nullptr;
  const bool same_number =
      llvm::isa<llvm::SExtInst>(value) || llvm::isa<llvm::ZExtInst>(value) ||
      llvm::isa<llvm::TruncInst>(value) || llvm::isa<llvm::FreezeInst>(value) ||
      llvm::isa<llvm::PtrToIntInst>(value) || llvm::isa<llvm::IntToPtrInst>(value);
  if (!same_number || value.getType()->isIntegerTy(1) || operand->getType()->isIntegerTy(1)) {
    return datum(*instruction);
  }
  return of(*operand);
}

Expr Values::constant(const llvm::Constant& constant) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    if (number->getBitWidth() == 1) return number->isZero() ? 0 : 1;
    llvm::SmallString<40> text;
    number->getValue().toStringSigned(text);
    return GiNaC::numeric(text.c_str());
  }
  if (constant.isNullValue()) return 0;
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&constant)) return address(*gep);
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
    if (expression->isCast()) return of(*expression->getOperand(0));
  }
  const std::string name = constant.hasName() ? constant.getName().str() : "undefined";
  return reading_.parameter("address_of_" + name, "constant " + name);
}

Expr Values::quotient(const llvm::Instruction& at, const llvm::Value& dividend,
                      const Expr& divisor) {
  const Expr x = of(dividend);
  if (is_number(divisor) && divisor.is_zero()) return datum(at);
  if (is_number(x) && is_number(divisor)) {
    return truncated(GiNaC::ex_to<GiNaC::numeric>(x), GiNaC::ex_to<GiNaC::numeric>(divisor));
  }
  const bool negative = is_number(divisor) && divisor < 0;
  if (!is_number(x) && !llvm::isKnownNonNegative(&dividend, llvm::SimplifyQuery(layout_))) {
    reading_.assume("what is divided at " + place_of(location_of(at)) + " is not negative");
  }
  return negative ? Expr(-symbolic::floor(x / -divisor)) : symbolic::floor(x / divisor);
}

Expr Values::binary(const llvm::BinaryOperator& operation) {
  using llvm::Instruction;
  const llvm::Value& left = *operation.getOperand(0);
  const llvm::Value& right = *operation.getOperand(1);
  const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(&right);
  if (operation.getType()->isIntegerTy(1)) return datum(operation);
  switch (operation.getOpcode()) {
    case Instruction::Add:
      return of(left) + of(right);
    case Instruction::Sub:
      return of(left) - of(right);
    case Instruction::Mul:
      return (of(left) * of(right)).expand();
    case Instruction::Shl:
      return (of(left) * power_of_two(of(right))).expand();
    case Instruction::SDiv:
    case Instruction::UDiv:
      return quotient(operation, left, of(right));
    case Instruction::AShr:
    case Instruction::LShr: {
      const Expr divisor = power_of_two(of(right));
      const bool exact = operation.getOpcode() == Instruction::AShr;  // floors by itself
      return exact ? symbolic::floor(of(left) / divisor) : quotient(operation, left, divisor);
    }
    case Instruction::SRem:
    case Instruction::URem: {
      const Expr divisor = of(right);
      return of(left) - divisor * quotient(operation, left, divisor);
    }
    case Instruction::And:
      if (mask != nullptr && mask->getValue().isMask()) {
        const Expr modulus = power_of_two(static_cast<int>(mask->getValue().countr_one()));
        return of(left) - modulus * symbolic::floor(of(left) / modulus);
      }
      if (mask != nullptr && mask->getValue().isNegatedPowerOf2()) {
        const Expr modulus = power_of_two(static_cast<int>(mask->getValue().countr_zero()));
        return modulus * symbolic::floor(of(left) / modulus);
      }
      return datum(operation);
    case Instruction::Or: {
      const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation);
      return disjoint != nullptr && disjoint->isDisjoint() ? of(left) + of(right)
                                                           : datum(operation);
    }
    case Instruction::Xor:
      return mask != nullptr && mask->isMinusOne() ? -of(left) - 1 : datum(operation);
    default:
      return datum(operation);
  }
}

Expr Values::address(const llvm::GEPOperator& address) {
  llvm::MapVector<llvm::Value*, llvm::APInt> indices;
  llvm::APInt bytes(64, 0);
  if (!address.collectOffset(layout_, 64, indices, bytes)) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&address);
    return instruction != nullptr ? datum(*instruction)
                                  : Expr(reading_.parameter("address", "address"));
  }
  Expr sum = of(*address.getPointerOperand());
  for (const auto& [index, size] : indices) {
    sum += of(*index) * GiNaC::numeric(size.getSExtValue());
  }
  return (sum + GiNaC::numeric(bytes.getSExtValue())).expand();
}

Expr Values::phi(const llvm::PHINode& phi) {
  Expr common;
  bool same = true, first = true;
  for (unsigned i = 0; i < phi.getNumIncomingValues() && same; ++i) {
    const llvm::Value& value = *phi.getIncomingValue(i);
    if (&value == &phi || llvm::isa<llvm::UndefValue>(value)) continue;
    const llvm::Loop* inside = loops_.getLoopFor(phi.getIncomingBlock(i));
    const bool leaves = inside != nullptr && !inside->contains(phi.getParent());
    const Expr e = leaves ? after_loop(phi, value, *phi.getIncomingBlock(i)) : of(value);
    same = first || common.is_equal(e);
    common = e;
    first = false;
  }
  return same && !first ? common : datum(phi);
}

Expr Values::after_loop(const llvm::PHINode& phi, const llvm::Value& value,
                        const llvm::BasicBlock& from) {
  const llvm::Loop* loop = loops_.getLoopFor(&from);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || !loop->contains(instruction->getParent())) return of(value);
  const auto left = exits_.find(loop);
  const llvm::Loop* outer = loop->getParentLoop();
  const bool one_loop = outer == nullptr || outer->contains(phi.getParent());
  if (left == exits_.end() || !one_loop || left->second.tests.count(&from) == 0) return datum(phi);
  GiNaC::exmap last;
  const Expr formula = of(value);
  for (auto part = formula.preorder_begin(); part != formula.preorder_end(); ++part) {
    if (!GiNaC::is_a<GiNaC::symbol>(*part)) continue;
    const auto& symbol = GiNaC::ex_to<GiNaC::symbol>(*part);
    const auto variable = left->second.at_last_test.find(symbol.get_name());
    if (variable != left->second.at_last_test.end()) {
      last[symbol] = variable->second;
    } else if (loop->contains(reading_.scope_of(symbol))) {
      return datum(phi);
    }
  }
  return formula.subs(last);
}

Expr Values::call(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    const auto argument = [&](unsigned a) { return of(*intrinsic->getArgOperand(a)); };
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::smax:
      case llvm::Intrinsic::umax:
        return symbolic::maximum(argument(0), argument(1));
      case llvm::Intrinsic::smin:
      case llvm::Intrinsic::umin:
        return symbolic::minimum(argument(0), argument(1));
      case llvm::Intrinsic::abs:
        return symbolic::maximum(argument(0), -argument(0));
      case llvm::Intrinsic::expect:
        return argument(0);
      default:
        return datum(call);
    }
  }
  if (const auto known = number_returned(call, reading_)) return *known;
  const llvm::Function* callee = call.getCalledFunction();
  return datum(call, callee == nullptr ? "" : source_name(*callee) + "()");
}

// A real number cut down to an integer: exact for powers of two and square roots.
Expr Values::rounded(const llvm::Value& number, const llvm::Instruction& at) {
  const auto integer = [&](const llvm::Value& v) -> const llvm::Value* {
    if (llvm::isa<llvm::SIToFPInst>(v) || llvm::isa<llvm::UIToFPInst>(v)) {
      return llvm::cast<llvm::Instruction>(v).getOperand(0);
    }
    return nullptr;
  };
  if (const llvm::Value* same = integer(number)) return of(*same);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&number);
  if (call == nullptr || call->getCalledFunction() == nullptr) return datum(at);
  const llvm::StringRef name = call->getCalledFunction()->getName();
  const bool is_power = name == "pow" || name == "llvm.pow.f64";
  if ((name == "sqrt" || name == "llvm.sqrt.f64") && integer(*call->getArgOperand(0)) != nullptr) {
    return symbolic::floor(GiNaC::sqrt(of(*integer(*call->getArgOperand(0)))));
  }
  if (is_power && integer(*call->getArgOperand(1)) != nullptr) {
    const auto* base = llvm::dyn_cast<llvm::ConstantFP>(call->getArgOperand(0));
    if (base != nullptr && base->isExactlyValue(2.0)) {
      return power_of_two(of(*integer(*call->getArgOperand(1))));
    }
  }
  return datum(at);
}

}  // namespace redblue::frontend::llvm_ir
