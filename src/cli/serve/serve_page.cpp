// SPDX-License-Identifier: BSD-3-Clause
#include "cli/serve/serve_page.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr const char* style = R"css(
label, legend, button, select, input, output { font-family: system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
label { display: block; margin: 0 0 0.25rem; font-size: 0.875rem; font-weight: 600; }
textarea, input, select { width: 100%; padding: 0.5rem 0.6rem; border: 1px solid var(--axis); border-radius: 6px; background: var(--paper); color: var(--ink); font-size: 1rem; }
textarea { min-height: 15rem; resize: vertical; font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; tab-size: 4; white-space: pre; overflow: auto; }
input[type="range"] { padding: 0; border: 0; accent-color: var(--link); min-height: 2rem; }
textarea:focus-visible, input:focus-visible, select:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); gap: 0.9rem; margin: 0.9rem 0; }
.samples { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0 0 0.9rem; }
button { padding: 0.45rem 0.8rem; border: 1px solid var(--axis); border-radius: 6px; background: var(--panel); color: var(--ink); font-size: 0.875rem; cursor: pointer; }
button.go { min-height: 2.75rem; padding: 0.6rem 1.4rem; border-color: var(--link); background: var(--link); color: var(--paper); font-size: 1rem; font-weight: 600; }
.state { min-height: 1.6rem; color: var(--soft); font-size: 0.9375rem; }
.wrong { padding: 0.75rem 1rem; border-left: 4px solid var(--edge); background: var(--panel); overflow-wrap: anywhere; }
[hidden] { display: none; }
)css";

constexpr const char* form = R"html(<form id="kernel-form">
<div class="samples" role="group" aria-label="Examples">
<button type="button" data-sample="gemm">Matrix product, C</button>
<button type="button" data-sample="cholesky">Cholesky, C</button>
<button type="button" data-sample="jacobi">Jacobi, Python</button>
<button type="button" data-sample="einsum">Einsum</button>
</div>
<label for="source">A loop nest, or an Einstein summation</label>
<textarea id="source" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"></textarea>
<div class="fields">
<div><label for="language">It is written in</label>
<select id="language"><option value="c">C</option><option value="c++">C++</option><option value="python">Python</option><option value="einsum">Einsum</option></select></div>
<div><label for="set">Sizes</label><input id="set" placeholder="N=40,M=30" autocapitalize="off" autocomplete="off"/></div>
<div><label for="function">Function, if there are several</label><input id="function" autocapitalize="off" autocomplete="off"/></div>
</div>
<div class="fields">
<div><label for="memory-slider">Fast memory S: move it</label><input id="memory-slider" type="range" min="1" max="24" step="0.25" value="8"/></div>
<div><label for="memory-words">Words of it</label><input id="memory-words" inputmode="numeric" value="256" autocomplete="off"/></div>
</div>
<p><button type="submit" class="go">Analyse</button></p>
</form>
<noscript><p class="wrong">This page asks its server by a script. Without one, run redblue report FILE.</p></noscript>
)html";

constexpr const char* answer =
    R"html(<p id="state" class="state" role="status" aria-live="polite">Nothing has been analysed.</p>
<p id="wrong" class="wrong" role="alert" hidden="hidden"></p>
<p id="lead" class="lead"></p>
<div id="figures"></div>
)html";

}  // namespace

Page serve_page() {
  Page page(
      "redblue serve", "How much data must it move?",
      "Paste a loop nest: what any order of it must move between a fast memory of S words and "
      "a slow one, a schedule that comes close, and why.");
  page.script("/serve.js");
  page.style(style);
  page.section("kernel", "The program", form);
  page.section("answer", "The answer", answer);
  for (const auto& [id, heading] : {std::pair("memory", "Words against fast memory"),
                                    {"schedule", "Schedules"},
                                    {"source-lines", "Source and statements"},
                                    {"derivation", "How the bound is derived"},
                                    {"conditions", "Conditions"},
                                    {"bounds", "Every bound"},
                                    {"code", "The schedule as C"}}) {
    page.section(id, heading, "<div id=\"" + std::string(id) + "-part\"></div>\n");
  }
  page.footer("<p>Served by redblue " REDBLUE_VERSION
              " on this machine, for this machine. Sources are analysed here, never run or "
              "kept.</p>\n");
  return page;
}

}  // namespace redblue::cli
