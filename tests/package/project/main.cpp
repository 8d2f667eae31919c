// SPDX-License-Identifier: BSD-3-Clause
// A program outside redblue: derive a bound, plan and run a multiplication, plan an update.
#include <mpi.h>

#include <cstdio>
#include <redblue/analysis.hpp>
#include <redblue/gemm.hpp>
#include <redblue/syrk_model.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const redblue::BoundReport report = redblue::lower_bounds({argv[1], "", {}, {}});
  redblue::GemmPlan<double> plan(MPI_COMM_WORLD, {60, 50, 40});
  std::vector<double> a(plan.owned(redblue::Operand::a).value, 1.0),
      b(plan.owned(redblue::Operand::b).value, 1.0);
  std::vector<double> c(plan.owned(redblue::Operand::c).value);
  plan.execute(1.0, a.data(), b.data(), 0.0, c.data());
  bool right = report.bounds[report.best].leading == "2*NI*NJ*NK/sqrt(S)";
  for (const double x : c) right = right && x == 40.0;
  // needs the coverings and the machine files' reader, which are archives of their own
  right = right && redblue::plan_syrk({{60, 50}, 7, {}, redblue::Objective::words, {}}).ratio >= 1;
  right = right && redblue::read_machine(argv[2]).levels.size() == 4;
  MPI_Finalize();
  std::printf("%s, %s\n", report.bounds[report.best].leading.text().c_str(),
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
