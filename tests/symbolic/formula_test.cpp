// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "temporary_folder.hpp"

namespace redblue {
namespace {

const std::vector<std::string> texts = {"2*N^3/sqrt(S)",
                                        "N^2/(3*sqrt(2)*sqrt(S)) - M + 4",
                                        "-N",
                                        "(N + M)^(3/2)/(N - M/7)",
                                        "floor(N/3) + ceil(M/5)*2^ceil(log2(N))",
                                        "min(N, M)*max(1, N - 2*M)",
                                        "1/2^(N + 1)",
                                        "(69/32)^(1/3)*S^(1/2)",
                                        "7/3",
                                        "0"};
const std::map<std::string, double> values = {{"N", 11}, {"M", 4}, {"S", 50}};

TEST(FormulaValue, ItsTextIsReadBackAsTheSame) {
  for (const std::string& text : texts) {
    const Formula formula(text);
    EXPECT_EQ(Formula(formula.text()), formula) << text;
    EXPECT_EQ(Formula(formula.text()).text(), formula.text()) << text;
    EXPECT_NEAR(Formula(formula.text()).at(values), formula.at(values), 1e-9) << text;
  }
}

// What Python makes of it, and what we do.
TEST(FormulaValue, PythonHasTheSameNumbers) {
  std::string program = "import math\nN, M, S, lambda_ = 11, 4, 50, 2\n";
  std::vector<Formula> formulas(texts.begin(), texts.end());
  formulas.emplace_back("lambda^3*N");
  for (const Formula& f : formulas) program += "print(repr(float(" + f.python() + ")))\n";
  const std::string file = test::temporary_folder() + "formulas.py";
  std::ofstream(file) << program;
  FILE* out = popen(("python3 " + file).c_str(), "r");
  ASSERT_NE(out, nullptr);
  std::map<std::string, double> all = values;
  all["lambda"] = 2;
  for (const Formula& f : formulas) {
    double number = 0;
    ASSERT_EQ(std::fscanf(out, "%lf", &number), 1) << f.python();
    EXPECT_NEAR(number, f.at(all), 1e-9 * (1 + std::abs(number))) << f.python();
  }
  EXPECT_EQ(pclose(out), 0);
}

TEST(FormulaValue, Latex) {
  EXPECT_EQ(Formula("2*N^3/sqrt(S) - NI").latex(), "\\frac{2\\,N^{3}}{\\sqrt{S}} - \\mathit{NI}");
  EXPECT_EQ(Formula("floor(n_x/2)").latex(), "\\lfloor \\frac{\\mathit{n\\_x}}{2}\\rfloor");
  EXPECT_EQ(Formula("(N + 1)^3").latex(), "\\left(N + 1\\right)^{3}");
}

// What MathML Core says: https://www.w3.org/TR/mathml-core
TEST(FormulaValue, Mathml) {
  EXPECT_EQ(Formula().mathml(), "");
  EXPECT_EQ(Formula("sqrt(S)").mathml(), "<mrow><msqrt><mrow><mi>S</mi></mrow></msqrt></mrow>");
  EXPECT_EQ(Formula("N/2 - 1").mathml(),
            "<mrow><mfrac><mrow><mi>N</mi></mrow><mrow><mn>2</mn></mrow></mfrac><mo>&#x2212;</mo>"
            "<mn>1</mn></mrow>");
  EXPECT_EQ(Formula("(N + 1)^3").mathml(),
            "<mrow><msup><mrow><mo>(</mo><mi>N</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow><mrow><mn>3"
            "</mn></mrow></msup></mrow>");
  EXPECT_EQ(Formula("floor(N/2)").mathml(),
            "<mrow><mrow><mo>&#x230A;</mo><mrow><mfrac><mrow><mi>N</mi></mrow><mrow><mn>2</mn>"
            "</mrow></mfrac></mrow><mo>&#x230B;</mo></mrow></mrow>");
  EXPECT_EQ(Formula("-NI").mathml(), "<mrow><mo>&#x2212;</mo><mi>NI</mi></mrow>");
  EXPECT_EQ(Formula("max(M, N)").mathml(),
            "<mrow><mrow><mi>max</mi><mo>&#x2061;</mo><mrow><mo>(</mo><mrow><mi>M</mi></mrow><mo>,"
            "</mo><mrow><mi>N</mi></mrow><mo>)</mo></mrow></mrow></mrow>");
  const std::string times = "<mo lspace=\"0\" rspace=\"0.17em\">&#x2062;</mo>";
  EXPECT_EQ(Formula("2*N^3").mathml(), "<mrow><mn>2</mn>" + times +
                                           "<msup><mrow><mi>N</mi></mrow><mrow><mn>3</mn></mrow>"
                                           "</msup></mrow>");
}

TEST(FormulaValue, Compares) {
  EXPECT_EQ(Formula("(N + 1)^2"), Formula("N^2 + 2*N + 1"));
  EXPECT_EQ(Formula("sqrt(2*N)"), Formula("sqrt(2)*sqrt(N)"));
  EXPECT_NE(Formula("floor(N/2)"), Formula("N/2"));
  EXPECT_NE(Formula(), Formula("0"));
  EXPECT_EQ(Formula(), Formula());
}

TEST(FormulaValue, SubstitutesAndDifferentiates) {
  const Formula words = "2*N^3/sqrt(S)";
  EXPECT_EQ(words.with({{"N", "M + 1"}, {"S", "4"}}), Formula("(M + 1)^3"));
  EXPECT_EQ(words.with({{"N", "S"}, {"S", "N"}}), Formula("2*S^3/sqrt(N)"));  // at once
  EXPECT_EQ(words.derivative("S"), Formula("-N^3/S^(3/2)"));
  EXPECT_EQ(words.derivative("Q"), Formula("0"));
  EXPECT_EQ(Formula("floor(N/2)*S").derivative("S"), Formula("floor(N/2)"));
  EXPECT_THROW(Formula("floor(N/2)*S").derivative("N"), Error);
  EXPECT_THROW(Formula("1/N").with({{"N", "0"}}), Error);
  EXPECT_EQ(words.names(), (std::vector<std::string>{"N", "S"}));
}

TEST(FormulaValue, Errors) {
  EXPECT_THROW(Formula("N").at({}), Error);
  EXPECT_THROW(Formula("1/N").at({{"N", 0}}), Error);
  EXPECT_THROW(Formula("N +"), Error);
  EXPECT_THROW(Formula("M", {"N"}), Error);
  EXPECT_TRUE(Formula().empty());
  EXPECT_EQ(Formula().text(), "");
  EXPECT_THROW(Formula().at({}), Error);
}

// Half the memory a bound needs is found from its formula, not from its text.
TEST(FormulaValue, OfABound) {
  BoundRequest request;
  request.einsum = "ij,jk->ik";
  const BoundReport report = lower_bounds(request);
  const LowerBound& best = report.bounds[report.best];
  EXPECT_EQ(best.leading, Formula("2*Ni*Nj*Nk/sqrt(S)"));
  EXPECT_EQ(best.leading.with({{"S", "4*S"}}), Formula("Ni*Nj*Nk/sqrt(S)"));
}

}  // namespace
}  // namespace redblue
