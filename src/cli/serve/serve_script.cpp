// SPDX-License-Identifier: BSD-3-Clause
// The page's script. What the server calls HTML is set as such, all else as text.
#include "cli/serve/serve_page.hpp"

namespace redblue::cli {

namespace {

constexpr const char* script = R"js("use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const samples = {
    gemm: ["c", "NI=40,NJ=40,NK=40", "void gemm(int NI, int NJ, int NK, double C[NI][NJ], double A[NI][NK], double B[NK][NJ]) {\n" +
      "  for (int i = 0; i < NI; i++)\n    for (int j = 0; j < NJ; j++)\n      for (int k = 0; k < NK; k++)\n" +
      "        C[i][j] += A[i][k] * B[k][j];\n}\n"],
    cholesky: ["c", "N=40", "#include <math.h>\n\nvoid cholesky(int N, double A[N][N]) {\n  for (int i = 0; i < N; i++) {\n" +
      "    for (int j = 0; j < i; j++) {\n      for (int k = 0; k < j; k++)\n        A[i][j] -= A[i][k] * A[j][k];\n" +
      "      A[i][j] /= A[j][j];\n    }\n    for (int k = 0; k < i; k++)\n      A[i][i] -= A[i][k] * A[i][k];\n" +
      "    A[i][i] = sqrt(A[i][i]);\n  }\n}\n"],
    jacobi: ["python", "N=100,T=40", "def jacobi(T, N, A, B):\n    for t in range(T):\n        for i in range(1, N - 1):\n" +
      "            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3\n        for i in range(1, N - 1):\n            A[i] = B[i]\n"],
    einsum: ["einsum", "Ni=16,Nj=16,Nk=16,Nr=8", "ijk,jr,kr->ir"],
  };
  const places = {source: "source-lines"};
  let running = null, filled = "";

  const say = (text) => { by("state").textContent = text; };
  const wrong = (text) => {
    by("wrong").textContent = text;
    by("wrong").hidden = !text;
  };
  const clear = () => {
    for (const part of document.querySelectorAll("[id$='-part']")) part.replaceChildren();
    for (const id of ["lead", "figures"]) by(id).replaceChildren();
  };
  const show = (line) => {
    if (line.error) wrong(line.error);
    if (line.part === "sizes") {
      by("set").value = filled = line.set;
      by("memory-words").value = line.S;
    }
    if (line.part === "bound") say("The bound is proved. Curves and a schedule follow.");
    if (line.lead !== undefined) by("lead").innerHTML = line.lead;
    if (line.figures !== undefined) by("figures").innerHTML = line.figures;
    for (const section of line.sections || []) {
      const part = by((places[section.id] || section.id) + "-part");
      if (part) part.innerHTML = section.html;
    }
  };
  const request = () => {
    const words = by("memory-words").value.trim();
    const sizes = by("set").value.trim();
    return {language: by("language").value, source: by("source").value, function: by("function").value.trim(),
      set: [sizes, words && "S=" + words].filter(Boolean).join(",")};
  };

  const read = async (response) => {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const {value, done} = await reader.read();
      text += decoder.decode(value || new Uint8Array(), {stream: !done});
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) if (line) show(JSON.parse(line));
      if (done) return;
    }
  };
  const analyse = async (fresh) => {
    if (running) running.abort();
    const own = running = new AbortController();
    const start = performance.now();
    wrong("");
    if (fresh) clear();
    say("Deriving bounds.");
    document.body.setAttribute("aria-busy", "true");
    try {
      const response = await fetch("/analyse", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify(request()), signal: own.signal});
      await read(response);
    } catch (error) {
      if (own.signal.aborted) return;
      wrong("redblue serve does not answer: it has ended, or the connection was cut.");
    }
    if (running !== own) return;
    running = null;
    document.body.removeAttribute("aria-busy");
    say(by("wrong").hidden ? "Done in " + ((performance.now() - start) / 1000).toFixed(1) + " s." : "");
  };

  const whole = (x) => Math.max(2, Math.round(2 ** x));
  by("memory-slider").addEventListener("input", () => { by("memory-words").value = whole(Number(by("memory-slider").value)); });
  by("source").addEventListener("input", () => {  // sizes of another program
    if (by("set").value === filled) by("set").value = "";
  });
  by("memory-slider").addEventListener("change", () => analyse(false));
  by("memory-words").addEventListener("change", () => {
    const words = Number(by("memory-words").value);
    if (words > 0) by("memory-slider").value = Math.log2(words);
    analyse(false);
  });
  by("kernel-form").addEventListener("submit", (event) => {
    event.preventDefault();
    analyse(true);
  });
  for (const button of document.querySelectorAll("[data-sample]")) {
    button.addEventListener("click", () => {
      const [language, set, source] = samples[button.dataset.sample];
      by("language").value = language;
      by("set").value = set;
      by("function").value = "";
      by("source").value = source;
      analyse(true);
    });
  }
  by("source").value = samples.gemm[2];
  by("set").value = samples.gemm[1];
  analyse(true);
})();
)js";

}  // namespace

const char* serve_script() {
  return script;
}

}  // namespace redblue::cli
