// SPDX-License-Identifier: BSD-3-Clause
// Pages of redblue report and redblue run --report, held against a checker of HTML that knows
// nothing of redblue, and against what other commands print.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

namespace fs = std::filesystem;

const std::string kernels = REDBLUE_SOURCE_DIR "/kernels/";
const std::string sizes = " --set NI=10,NJ=10,NK=10,S=32 --effort 1";
const std::string small = " --set N=40,S=16 --effort 1";  // of tiny_program()

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Finished check(const std::string& pages) {
  return shell("/usr/bin/python3 " REDBLUE_SOURCE_DIR "/tests/cli/report/check_page " + pages);
}

// A program that takes no time: B = 2 A by way of T.
std::string tiny_program(const std::string& folder) {
  write(folder + "/tiny.c",
        "void tiny(int N, double A[N], double B[N], double T[N]) {\n"
        "#pragma scop\n"
        "  for (int i = 0; i < N; i++) T[i] = 2 * A[i];\n"
        "  for (int i = 0; i < N; i++) B[i] = T[i];\n"
        "#pragma endscop\n}\n");
  return folder + "/tiny.c";
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

TEST(Report, SaysWhatBoundAndTileSay) {
  const std::string page = temporary_directory() + "/gemm.html";
  const std::string machine = " --machine " REDBLUE_SOURCE_DIR "/machines/vm-2-cores.toml";
  const Finished run =
      redblue("report " + kernels + "gemm.c" + sizes + machine + " --json -o " + page);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const Finished bounded =
      redblue("bound " + kernels + "gemm.c --set NI=10,NJ=10,NK=10,S=32 --json");
  const Finished tiled = redblue("tile " + kernels + "gemm.c" + sizes + " --json");
  const auto bound = nlohmann::json::parse(bounded.out);
  const auto tile = nlohmann::json::parse(tiled.out);
  EXPECT_EQ(json["bounds"], bound["bounds"]);
  EXPECT_EQ(json["schedule"]["tiled"], tile["tiled"]);
  EXPECT_EQ(json["gap"], tile["gap"]);
  EXPECT_EQ(json["rooflines"].size(), 3U) << "the caches of the machine file";
  // The point at S is the schedule's.
  bool found = false;
  for (const auto& point : json["plot"]["schedules"]) {
    if (point["S"] != 32) continue;
    found = true;
    EXPECT_EQ(point["as_scheduled"], tile["tiled"]["belady"]["moved"]);
  }
  EXPECT_TRUE(found);
  const std::string html = contents(page);
  EXPECT_NE(html.find(grouped(std::llround(bound["best"]["value"].get<double>())) + " words"),
            std::string::npos);
  EXPECT_NE(html.find(grouped(tile["gap"]["upper"].get<std::int64_t>())), std::string::npos);
  const std::string statement = "C[i][j] += alpha * A[i][k] * B[k][j];";
  EXPECT_NE(html.find(statement), html.rfind(statement)) << "in the source and in the schedule's C";
  const Finished checked = check(page);
  EXPECT_EQ(checked.status, 0) << checked.out;
  // Words and operations per word, and three rooflines, each twice; and the graph.
  EXPECT_NE(checked.out.find(": 11 pictures"), std::string::npos) << checked.out;
}

// No order moves less than the shaded region's edge says.
TEST(Report, PointsAreAboveTheEdge) {
  for (const char* of : {"trisolv.c --set N=20", "jacobi-1d.c --set N=30,T=8"}) {
    const Finished run = redblue(std::string("report ") + kernels + of + ",S=32 --effort 1 --json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto plot = nlohmann::json::parse(run.out)["plot"];
    std::map<std::int64_t, double> edge;
    for (const auto& point : plot["curves"][0]["points"]) edge[point[0]] = point[1];
    int compared = 0;
    for (const auto& point : plot["schedules"]) {
      for (const char* order : {"as_written", "as_scheduled"}) {
        if (point[order].is_null()) continue;
        EXPECT_GE(point[order].get<double>(), edge.at(point["S"])) << of;
        ++compared;
      }
    }
    EXPECT_GE(compared, 4) << of;
  }
}

// What was timed stands on the rooflines, and what it moves on the curves: as redblue measure says.
TEST(Report, DrawsWhatWasTimed) {
  const std::string folder = temporary_directory(), page = folder + "/syrk.html";
  const std::string machine = folder + "/caches.toml";
  write(machine,
        "[rank]\nflops_per_second = 4e10\n[network]\nlatency_seconds = 1e-6\n"
        "bytes_per_second = 1e9\n"
        "[[level]]\nname = \"near\"\nunits = 1\nwords = 100\n"
        "[[level]]\nname = \"far\"\nunits = 1\nwords = 1000\nwords_per_flop = 0.5\n"
        "[[level]]\nname = \"memory\"\nunits = 1\nwords = 1000000\nwords_per_flop = 0.1\n");
  const std::string program = kernels + "syrk.c --machine " + machine + " --json --set N=60,M=40";
  const Finished run = redblue("report " + program + ",S=64 --effort 1 --measure -o " + page);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const auto measured =
      nlohmann::json::parse(redblue("measure " + program + " --repeat 1").out)["levels"];
  const auto& levels = json["measured"]["levels"];
  ASSERT_EQ(levels.size(), 3U) << "S and two caches";
  EXPECT_EQ(levels[0]["capacity"], 64);
  for (std::size_t l = 0; l < 2; ++l) {
    for (const char* what : {"capacity", "original_words", "bound"})
      EXPECT_EQ(levels[l + 1][what], measured[l][what]) << what;
  }
  std::map<std::int64_t, double> edge;
  for (const auto& point : json["plot"]["curves"][0]["points"]) edge[point[0]] = point[1];
  ASSERT_EQ(json["plot"]["timed"].size(), 3U);
  for (const auto& point : json["plot"]["timed"])
    EXPECT_GE(point["as_written"].get<double>(), edge.at(point["S"]));
  const double operations = json["plot"]["operations"];
  for (std::size_t l = 0; l < 2; ++l) {
    int timed = 0;
    for (const auto& point : json["rooflines"][l]["points"]) {
      if (!point["timed"].get<bool>()) continue;
      const bool first = timed++ == 0;
      const double seconds =
          json["measured"][first ? "original_seconds" : "schedule_seconds"].get<double>();
      const double words = levels[l + 1][first ? "original_words" : "words"].get<double>();
      EXPECT_DOUBLE_EQ(point["operations_per_second"], operations / seconds);
      EXPECT_DOUBLE_EQ(point["operations_per_word"], operations / words);
    }
    EXPECT_GE(timed, 1);
  }
  const std::string html = contents(page);
  for (const char* text : {"Timed on this host", "as written, timed", "--measure", "bit for bit"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
  const Finished checked = check(page);
  EXPECT_EQ(checked.status, 0) << checked.out;
}

TEST(Report, TimesWithoutAMachineFileAndSaysWhatItCannotTime) {
  const std::string folder = temporary_directory(), page = folder + "/page.html";
  const Finished run =
      redblue("report " + tiny_program(folder) + small + " --measure --json -o " + page);
  ASSERT_EQ(run.status, 0) << run.err;
  const bool hidden = nlohmann::json::parse(run.out)["rooflines"].empty();  // the host's caches
  EXPECT_NE(contents(page).find(hidden ? "does not say which caches it has"
                                       : "no machine file says how high"),
            std::string::npos);
  ASSERT_EQ(redblue("report --einsum \"ij,jk->ik\" --set Ni=6,Nj=6,Nk=6,S=16 --effort 1 --measure "
                    "-o " +
                    folder + "/einsum.html")
                .status,
            0);
  EXPECT_NE(contents(folder + "/einsum.html").find("Nothing was timed: "), std::string::npos);
  const Finished checked = check(page + " " + folder + "/einsum.html");
  EXPECT_EQ(checked.status, 0) << checked.out;
}

TEST(Report, PagesOfManyKindsAreSound) {
  const std::string folder = temporary_directory();
  const std::string tiny = tiny_program(folder);
  write(folder + "/twice.py",
        "def twice(N, A, B):\n    for i in range(N):\n        B[i] = 2 * A[i]  # <b>\n");
  write(folder + "/branch.c",
        "void paths(int N, double D[N][N]) {\n"
        "  for (int k = 0; k < N; k++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)\n"
        "    if (D[i][k] + D[k][j] < D[i][j]) D[i][j] = D[i][k] + D[k][j];\n}\n");
  const std::vector<std::pair<std::string, std::string>> all = {
      {folder + "/branch.c --set N=12,S=16", "A stronger bound that rests on assumptions"},
      {tiny + " --set N=40,S=16 --scratch T", "--scratch"},
      {tiny + " --set N=0,S=16", "at least <strong>0 words"},
      {folder + "/twice.py --set N=40,S=8", "# &lt;b&gt;"},
      {"--einsum \"ij,jk->ik\" --set Ni=6,Nj=6,Nk=6,S=16", "The einsum"}};
  std::string pages;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string page = folder + "/" + std::to_string(i) + ".html";
    const Finished run = redblue("report " + all[i].first + " --effort 1 -o " + page);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out + run.err, "") << "nothing but the page";
    EXPECT_NE(contents(page).find(all[i].second), std::string::npos) << all[i].first;
    pages += page + " ";
  }
  const Finished checked = check(pages);
  EXPECT_EQ(checked.status, 0) << checked.out;
}

// What is too large is said in a sentence, and the rest of the page stands.
TEST(Report, SaysWhatIsTooLarge) {
  const std::string folder = temporary_directory(), page = folder + "/large.html";
  const Finished run =
      redblue("report " + tiny_program(folder) + " --set N=1e15,S=1024 -o " + page);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string html = contents(page);
  EXPECT_NE(html.find("No schedule was found: "), std::string::npos);
  EXPECT_NE(html.find("no schedule is known at these sizes"), std::string::npos);
  const Finished checked = check(page);
  EXPECT_EQ(checked.status, 0) << checked.out;
}

// Nothing that a source or a file's name says is more than text.
TEST(Report, HostileSourcesAreText) {
  const std::string folder = temporary_directory();
  const std::string source = folder + "/a\\\"><img src=x onerror=alert(1)>.c";
  const std::string written = folder + "/a\"><img src=x onerror=alert(1)>.c";
  const std::string marked = "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>";
  write(written, "/* " + marked +
                     " \x01 \xff\xfe &lt; &#60; ]]> */\n"
                     "void scale(int N, double A[N]) { // " +
                     marked +
                     "\n"
                     "  const char* s = \"" +
                     marked +
                     "\"; (void)s;\n"
                     "#pragma scop\n"
                     "  for (int i = 0; i < N; i++) A[i] = 2 * A[i]; // <b onclick=\"x\">\n"
                     "#pragma endscop\n}\n");
  const std::string page = folder + "/page.html";
  const Finished run = redblue("report \"" + source + "\" --set N=20,S=8 --effort 1 -o " + page);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string html = contents(page);
  EXPECT_NE(html.find("&lt;img src=x onerror=alert(1)&gt;"), std::string::npos);
  EXPECT_NE(html.find("&amp;lt; &amp;#60;"), std::string::npos)
      << "what was there, not what it means";
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  const Finished checked = check(page);
  EXPECT_EQ(checked.status, 0) << checked.out;
}

// The checker finds what it looks for.
TEST(Report, CheckerFindsFaults) {
  const std::string folder = temporary_directory(), page = folder + "/page.html";
  ASSERT_EQ(redblue("report " + tiny_program(folder) + small + " -o " + page).status, 0);
  const std::string good = contents(page);
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"</main>", ""},
      {"</main>", "<script>1</script></main>"},
      {"</main>", "<p><img src=\"http://example.org/x.png\"/></p></main>"},
      {"</main>", "<p onclick=\"x\">a</p></main>"},
      {"<h2", "<h4"},
      {" lang=\"en\"", ""},
      {"cx=\"", "cx=\"nan"},
      {"</caption>", "</caption><caption>again"},
      {"id=\"memory\"", "id=\"schedule\""},
      {"--soft: #59606a", "--soft: #a9b0ba"}};
  for (const auto& [what, instead] : faults) {
    std::string bad = good;
    ASSERT_NE(bad.find(what), std::string::npos) << what;
    bad.replace(bad.find(what), what.size(), instead);
    write(folder + "/bad.html", bad);
    EXPECT_NE(check(folder + "/bad.html").status, 0) << what << " -> " << instead;
  }
}

TEST(Report, WritesWholeFilesOrNone) {
  const std::string folder = temporary_directory();
  const std::string old = folder + "/old.html", link = folder + "/link.html";
  const std::string tiny = tiny_program(folder);
  write(old, "before");
  fs::permissions(old, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(old, link);
  // The analysis fails: what was there stays.
  EXPECT_EQ(redblue("report " + tiny + " --set N=40,S=1 -o " + old).status, 2);
  EXPECT_EQ(contents(old), "before");
  ASSERT_EQ(redblue("report " + tiny + small + " -o " + link).status, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents(old).rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_EQ(fs::status(old).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(redblue("report " + tiny + small + " -o /dev/null").status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const Finished shown = redblue("report " + tiny + small + " -o /dev/stdout");
  EXPECT_EQ(shown.out.rfind("<!DOCTYPE html>", 0), 0U);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 3U) << "nothing else is left";
}

TEST(Report, BadInputIsOneLine) {
  const std::string folder = temporary_directory();
  fs::copy_file(kernels + "gemm.c", folder + "/gemm.c");
  const std::string large = kernels + "gemm.c --set NI=2000,NJ=2000,NK=2000,S=1024 -o ";
  const std::vector<std::string> all = {
      "report " + kernels + "gemm.c --set NI=4,NJ=4,NK=4,S=16",
      "report " + kernels + "gemm.c --set NI=4,NJ=4,NK=4 -o " + folder + "/a.html",
      "report " + kernels + "gemm.c --set NI=4,S=9 -o " + folder + "/a.html",
      "report " + kernels + "none.c --set N=4,S=9 -o " + folder + "/a.html",
      "report --set N=4,S=9 -o " + folder + "/a.html",
      "report " + kernels + "gemm.c" + sizes + " --machine /nowhere.toml -o " + folder + "/a.html",
      // Refused at once, however long the analysis would take:
      "report " + large + folder, "report " + large + "/nowhere/a.html",
      "report " + large + folder + "/gemm.c/a.html",
      "report " + folder + "/gemm.c --set NI=2000,NJ=2000,NK=2000,S=1024 -o " + folder + "/gemm.c"};
  for (const std::string& arguments : all) {
    const Finished run = shell("timeout 20 " REDBLUE_COMMAND " " + arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_FALSE(fs::exists(folder + "/a.html"));
  }
  EXPECT_EQ(contents(folder + "/gemm.c"), contents(kernels + "gemm.c"));
}

TEST(RunReport, ShowsWhoSentWhom) {
  const std::string folder = temporary_directory();
  const std::vector<std::string> runs = {"gemm -m 60 -n 60 -k 60",
                                         "cholesky -n 100",
                                         "lu -n 100",
                                         "trsm -n 80 -k 20",
                                         "syrk -n 80 -k 20",
                                         "einsum \"ij,jk->ik\" --set Ni=40,Nj=40,Nk=40",
                                         "trsv -n 200",
                                         "stencil -d 2 -n 40 --steps 4"};
  std::string pages;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::string page = folder + "/" + std::to_string(r) + ".html";
    const Finished run = mpirun(4, "run " + runs[r] + " --json --report " + page);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    const std::string html = contents(page);
    EXPECT_NE(html.find(grouped(json["max_words_received"].get<std::int64_t>()) + " words"),
              std::string::npos)
        << runs[r];
    pages += page + " ";
  }
  const Finished checked = check(pages);
  EXPECT_EQ(checked.status, 0) << checked.out;
}

// Of one product nothing is redistributed: a rank's column of the matrix is what it received.
TEST(RunReport, ColumnsAreWhatRanksReceive) {
  const std::string page = temporary_directory() + "/gemm.html";
  const Finished run = mpirun(4, "run gemm -m 40 -n 80 -k 60 --json --report " + page);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const std::string html = contents(page);
  const std::size_t at = html.find("Words from the row&#39;s rank to the column&#39;s</caption>");
  ASSERT_NE(at, std::string::npos);
  const std::string table = html.substr(at, html.find("</table>", at) - at);
  std::vector<std::int64_t> received(4);
  std::size_t cell = 0;
  for (std::size_t from = table.find("<td"); from != std::string::npos;
       from = table.find("<td", from + 1), ++cell) {
    std::string digits = table.substr(table.find('>', from) + 1, 12);
    digits = digits.substr(0, digits.find('<'));
    std::erase(digits, ',');
    received[cell % 4] += std::stoll(digits);
  }
  EXPECT_EQ(cell, 16U);
  EXPECT_EQ(*std::max_element(received.begin(), received.end()), json["max_words_received"]);
  EXPECT_GT(json["max_words_received"], 0);
}

TEST(RunReport, RefusesBeforeItRuns) {
  for (const char* wrong : {"--report /nowhere/a.html", "--report /tmp",
                            "--one-sided --report /tmp/redblue_never.html"}) {
    const Finished run = mpirun(2, std::string("run gemm -m 20 -n 20 -k 20 ") + wrong);
    EXPECT_EQ(run.status, 2) << wrong;
    // The launcher adds lines of its own.
    const std::size_t first = run.err.find("redblue: ");
    EXPECT_NE(first, std::string::npos) << run.err;
    EXPECT_EQ(first, run.err.rfind("redblue: ")) << run.err;
  }
}

}  // namespace
}  // namespace redblue::test
