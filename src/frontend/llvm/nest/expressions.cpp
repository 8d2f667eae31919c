// SPDX-License-Identifier: BSD-3-Clause
// Values as C: what they read, and functions of it.
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cmath>
#include <map>

#include "frontend/llvm/nest/calls.hpp"
#include "frontend/llvm/nest/recorder.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

Piece words(const std::string& text) {
  return {Piece::Kind::words, text};
}

std::string number(const llvm::ConstantFP& constant) {
  bool inexact = false;
  llvm::APFloat value = constant.getValueAPF();
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  const double as_double = value.convertToDouble();
  if (!std::isfinite(as_double)) return as_double < 0 ? "-1e308" : "1e308";
  llvm::SmallString<40> text;
  llvm::APFloat(as_double).toString(text);
  const std::string digits = text.str().str();
  return digits.find_first_of(".eE") == std::string::npos ? digits + ".0" : digits;
}

std::string sign_of(const llvm::Instruction& operation) {
  using llvm::Instruction;
  switch (operation.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::Add:
    case Instruction::InsertValue:
      return " + ";
    case Instruction::FSub:
    case Instruction::Sub:
      return " - ";
    case Instruction::FMul:
    case Instruction::Mul:
      return " * ";
    case Instruction::FDiv:
    case Instruction::SDiv:
    case Instruction::UDiv:
      return " / ";
    case Instruction::SRem:
    case Instruction::URem:
      return " % ";
    case Instruction::And:
      return operation.getType()->isIntegerTy(1) ? " && " : "";
    case Instruction::Or:
      return operation.getType()->isIntegerTy(1) ? " || " : "";
    case Instruction::Xor:
      return operation.getType()->isIntegerTy(1) ? " != " : "";
    default:
      return "";
  }
}

std::string relation_of(llvm::CmpInst::Predicate predicate) {
  using llvm::CmpInst;
  switch (predicate) {
    case CmpInst::FCMP_OEQ:
    case CmpInst::FCMP_UEQ:
    case CmpInst::ICMP_EQ:
      return " == ";
    case CmpInst::FCMP_ONE:
    case CmpInst::FCMP_UNE:
    case CmpInst::ICMP_NE:
      return " != ";
    case CmpInst::FCMP_OLT:
    case CmpInst::FCMP_ULT:
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT:
      return " < ";
    case CmpInst::FCMP_OLE:
    case CmpInst::FCMP_ULE:
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULE:
      return " <= ";
    case CmpInst::FCMP_OGT:
    case CmpInst::FCMP_UGT:
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT:
      return " > ";
    case CmpInst::FCMP_OGE:
    case CmpInst::FCMP_UGE:
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGE:
      return " >= ";
    default:
      return "";
  }
}

// x > y ? x : y and the like.
std::string extreme_of(const llvm::SelectInst& choice) {
  const auto* test = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
  if (test == nullptr) return "";
  const std::string relation = relation_of(test->getPredicate());
  const bool larger = relation == " > " || relation == " >= ";
  const bool smaller = relation == " < " || relation == " <= ";
  const llvm::Value *left = test->getOperand(0), *right = test->getOperand(1);
  const llvm::Value *yes = choice.getTrueValue(), *no = choice.getFalseValue();
  if (!larger && !smaller) return "";
  if (yes == left && no == right) return larger ? "fmax" : "fmin";
  if (yes == right && no == left) return larger ? "fmin" : "fmax";
  return "";
}

bool passes_through(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::BitCast:
    case Instruction::Freeze:
    case Instruction::ExtractValue:
      return true;
    default:
      return false;
  }
}

}  // namespace

// An integer that formulas know, as such; else what it is made of.
void Recorder::integer(const llvm::Value& value, Pieces& out) {
  const counting::Expr formula = values_->of(value);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || !has_data(formula)) {
    out.push_back({Piece::Kind::integer, {}, formula});
    return;
  }
  operation(*instruction, out);
}

void Recorder::expression(const llvm::Value& value, Pieces& out) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(&value))
    return out.push_back(words(number(*constant)));
  if (llvm::isa<llvm::Constant>(value) && !value.getType()->isIntegerTy())
    return out.push_back(words("0.0"));  // of a complex number
  const auto kept = kept_.find(&value);
  if (kept != kept_.end()) return out.push_back(words(kept->second));
  if (value.getType()->isIntegerTy() && !value.getType()->isIntegerTy(1))
    return integer(value, out);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction != nullptr) return operation(*instruction, out);
  if (llvm::isa<llvm::ConstantInt>(value))
    return out.push_back(words(llvm::cast<llvm::ConstantInt>(value).isZero() ? "0" : "1"));
  const std::string name = plain_name(value);  // an argument that is a number
  out.push_back({Piece::Kind::integer, {}, reading_.parameter(name, "argument " + name)});
}

void Recorder::operation(const llvm::Instruction& at, Pieces& out) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&at))
    return element(*load->getPointerOperand(), *load->getType(), false, out);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&at)) return function(*call, out);
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&at)) return choice(*select, out);
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&at)) return comparison(*compare, out);
  if (passes_through(at)) return expression(*at.getOperand(0), out);
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(&at);
  if (phi != nullptr && phi->getNumIncomingValues() == 1)
    return expression(*phi->getIncomingValue(0), out);
  if (at.getOpcode() == llvm::Instruction::FNeg) {
    out.push_back(words("-("));
    expression(*at.getOperand(0), out);
    return out.push_back(words(")"));
  }
  if (at.getOpcode() == llvm::Instruction::FRem) {
    out.push_back(words("fmod("));
    expression(*at.getOperand(0), out);
    out.push_back(words(", "));
    expression(*at.getOperand(1), out);
    return out.push_back(words(")"));
  }
  const std::string sign = sign_of(at);
  if (sign.empty()) {
    refuse(at, "a number that '" + std::string(at.getOpcodeName()) + "' makes of data",
           "redblue reads arithmetic, comparisons and functions of the mathematical library");
  }
  out.push_back(words("("));
  expression(*at.getOperand(0), out);
  out.push_back(words(sign));
  expression(*at.getOperand(1), out);
  out.push_back(words(")"));
}

void Recorder::comparison(const llvm::CmpInst& at, Pieces& out) {
  const std::string relation = relation_of(at.getPredicate());
  if (relation.empty() || at.getOperand(0)->getType()->isPointerTy())
    return out.push_back(words("1"));  // whether a number is one
  out.push_back(words("("));
  expression(*at.getOperand(0), out);
  out.push_back(words(relation));
  expression(*at.getOperand(1), out);
  out.push_back(words(")"));
}

void Recorder::choice(const llvm::SelectInst& at, Pieces& out) {
  const std::string extreme = extreme_of(at);
  out.push_back(words(extreme + "("));
  if (extreme.empty()) {
    expression(*at.getCondition(), out);
    out.push_back(words(" ? "));
  }
  expression(*at.getTrueValue(), out);
  out.push_back(words(extreme.empty() ? " : " : ", "));
  expression(*at.getFalseValue(), out);
  out.push_back(words(")"));
}

void Recorder::function(const llvm::CallBase& call, Pieces& out) {
  const std::string name = mathematical_function(call);
  if (name.empty()) {
    refuse(call, "what " + called_name(call) + " returns is used",
           "redblue reads functions of the mathematical library, and those of the file");
  }
  out.push_back(words(name + "("));
  bool first = true;
  for (const llvm::Value* argument : call.args()) {
    if (argument->getType()->isPointerTy()) break;  // where the call stands in the source
    if (argument->getType()->isIntegerTy() && call.arg_size() > 1 && name != "pow") break;
    if (!first) out.push_back(words(", "));
    first = false;
    expression(*argument, out);
  }
  out.push_back(words(")"));
}

}  // namespace redblue::frontend::llvm_ir
