// Counting what stands in a file.
#include <algorithm>

#include "counting/count.hpp"
#include "frontend/llvm/instrument.hpp"
#include "frontend/llvm/program.hpp"
#include "redblue/counting.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using Verdict = CheckedLoop::Verdict;

// Decimal numbers of any length; `a` and `b` without leading zeros.
bool less(const std::string& a, const std::string& b) {
  const bool a_negative = a.front() == '-', b_negative = b.front() == '-';
  if (a_negative != b_negative) return a_negative;
  if (a_negative) return less(b.substr(1), a.substr(1));
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

Verdict verdict(const Count& count, std::int64_t ran) {
  if (!count.lower_value && !count.upper_value) return Verdict::not_compared;
  const std::string number = std::to_string(ran);
  if (count.lower_value && less(number, *count.lower_value)) return Verdict::wrong;
  if (count.upper_value && less(*count.upper_value, number)) return Verdict::wrong;
  return count.exact ? Verdict::equal : Verdict::within;
}

}  // namespace

CountReport count(const CountRequest& request) {
  counting::Options options;
  options.assumptions = request.assumptions;
  options.sizes = request.sizes;
  return counting::count(
      frontend::llvm_ir::read_program(request.file, request.function, request.flags), options);
}

bool CountCheck::passed() const {
  return std::none_of(loops.begin(), loops.end(),
                      [](const CheckedLoop& loop) { return loop.verdict == Verdict::wrong; });
}

CountCheck check_counts(const CountRequest& request,
                        const std::vector<std::pair<std::string, std::int64_t>>& sizes) {
  CountRequest at = request;
  for (const auto& [name, value] : sizes) at.sizes[name] = value;
  const CountReport report = count(at);
  const auto ran =
      frontend::llvm_ir::run_counted(request.file, request.function, request.flags, sizes);
  CountCheck check;
  for (const CountedPlace& place : report.loops) {
    const auto found = ran.find(place.id);
    const std::int64_t times = found == ran.end() ? 0 : found->second;
    check.loops.push_back({place, times, verdict(place.count, times)});
  }
  return check;
}

}  // namespace redblue
