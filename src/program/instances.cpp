// SPDX-License-Identifier: BSD-3-Clause
#include "program/instances.hpp"

#include <algorithm>

#include "redblue/error.hpp"
#include "symbolic/expr.hpp"

namespace redblue::program {

using symbolic::Rational;

namespace {

std::optional<Count> formula_of(const isl::set& domain) {
  try {
    return count(domain);
  } catch (const Error&) {  // holes that are no stride
  } catch (const isl::exception&) {
  }
  return std::nullopt;
}

std::string text(const Sizes& sizes) {
  std::string result;
  for (const auto& [name, value] : sizes) {
    result += (result.empty() ? "" : ",") + name + "=" + std::to_string(value);
  }
  return result;
}

}  // namespace

std::int64_t points(const isl::set& set, const Sizes& sizes, std::int64_t most) {
  struct Enough {};
  std::int64_t seen = 0;
  try {
    for_each_point(set, sizes, [&](Coordinates) {
      if (++seen > most) throw Enough();
    });
  } catch (const Enough&) {
  }
  return seen;
}

InstanceCount::InstanceCount(const Program& program, Counted counted) {
  for (const Statement& s : program.statements) {
    const auto reads = std::count_if(s.reads.begin(), s.reads.end(),
                                     [](const Access& read) { return !read.conditional; });
    parts_.push_back(
        {s.domain, formula_of(s.domain), counted == Counted::accesses ? reads + 1L : 1L});
  }
}

InstanceCount::InstanceCount(const isl::set& set) : parts_{{set, formula_of(set), 1}} {}

Rational InstanceCount::at(const Sizes& sizes, std::int64_t most) const {
  symbolic::Valuation values;
  for (const auto& [name, size] : sizes) values[name] = static_cast<long>(size);
  Rational all = 0;
  for (const Part& part : parts_) {
    check_given(part.domain, sizes);
    const Rational points = part.formula
                                ? GiNaC::ex_to<Rational>(part.formula->at(values))
                                : Rational(redblue::program::points(part.domain, sizes, most));
    all += points * part.weight;
  }
  return all;
}

Sizes scaled(const Sizes& sizes, double factor) {
  Sizes result;
  for (const auto& [name, size] : sizes) {
    result[name] = std::max(std::min<std::int64_t>(size, 4),
                            static_cast<std::int64_t>(static_cast<double>(size) * factor));
  }
  return result;
}

std::pair<Sizes, double> scaled_down(const InstanceCount& instances, const Sizes& sizes,
                                     std::int64_t most, int steps) {
  double low = 0, high = 1;
  if (instances.at(sizes, most) <= most) return {sizes, 1};
  for (int step = 0; step < steps; ++step) {
    const double middle = (low + high) / 2;
    (instances.at(scaled(sizes, middle), most) > most ? high : low) = middle;
  }
  return {scaled(sizes, low), low};
}

Rational require_at_most(const Program& program, const Sizes& sizes, std::int64_t most,
                         Counted counted) {
  const InstanceCount instances(program, counted);
  const Rational here = instances.at(sizes, most);
  if (here <= most) return here;
  constexpr int to_the_last_bit = 64;
  const Sizes smaller = scaled_down(instances, sizes, most, to_the_last_bit).first;
  const bool would_do = instances.at(smaller, most) <= most;
  const std::string what = counted == Counted::accesses ? "every access of " : "every instance of ";
  throw Error(what + program.name + " at " + text(sizes),
              symbolic::grouped(here) + " of them, and at most " + symbolic::grouped(most) +
                  " can be looked at one by one",
              would_do ? "give smaller sizes, as " + text(smaller) : "give smaller sizes");
}

}  // namespace redblue::program
