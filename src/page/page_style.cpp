// SPDX-License-Identifier: BSD-3-Clause
// How pages look: light and dark, on screens of any width, and printed. Text has a contrast of at
// least 4.5 against what it stands on, in both.
#include "page/page.hpp"

namespace redblue::page {

namespace {

constexpr const char* style = R"css(
:root {
  --paper: #fcfcfa; --panel: #f3f3ee; --ink: #1f2328; --soft: #59606a; --rule: #d9d9d2;
  --grid: #e4e4de; --axis: #8b9098; --link: #0b57a4; --edge: #b3261e; --mark: #fff3cf;
  --bar: #2c5aa0; --waits: #e0a06c; --comment: #5b6672; --word: #8a2f6b; --number: #0b57a4;
  --hue0: #2c5aa0; --hue1: #1d7a4a; --hue2: #8e44ad; --hue3: #97560a;
  --hue4: #00747a; --hue5: #9a4a28; --hue6: #5f6b00; --hue7: #b8186a;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181c; --panel: #1f2228; --ink: #e8e6e1; --soft: #a5abb4; --rule: #363b43;
    --grid: #2b3037; --axis: #7d838c; --link: #7fb4f0; --edge: #ff8a80; --mark: #3d3413;
    --bar: #7fb4f0; --waits: #8a5a2e; --comment: #9aa3ad; --word: #e59ac4; --number: #8fc1f5;
    --hue0: #7fb4f0; --hue1: #6fcf97; --hue2: #cf9fe8; --hue3: #f0b35a;
    --hue4: #5ed0d6; --hue5: #e8a07c; --hue6: #c3cf5c; --hue7: #f48fb8;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 54rem; background: var(--paper);
  color: var(--ink); font: 1.0625rem/1.6 "Source Serif 4", Charter, Georgia, "Liberation Serif", serif;
  overflow-wrap: break-word;
}
h1, h2, h3, .kicker, nav, table, figure, dl, summary, footer, svg, .skip, .legend {
  font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", "DejaVu Sans", sans-serif;
}
a { color: var(--link); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px;
}
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: 0.5rem 1rem; z-index: 1; }
.kicker { margin: 0; color: var(--soft); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; }
h1 { margin: 0.25rem 0 0.75rem; font-size: 2.5rem; line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.01em; }
h3 { margin: 1.75rem 0 0.5rem; font-size: 1.0625rem; line-height: 1.35; }
.lead { margin: 0 0 1.5rem; font-size: 1.375rem; line-height: 1.45; }
.lead strong { font-weight: 600; white-space: nowrap; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1px; margin: 0 0 1.5rem; background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 0.85rem 1rem; background: var(--panel); }
.figures dt { color: var(--soft); font-size: 0.8125rem; line-height: 1.35; }
.figures dd { margin: 0; font-size: 1.375rem; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; margin: 0; padding: 0.75rem 0; list-style: none; border-top: 1px solid var(--rule); border-bottom: 1px solid var(--rule); font-size: 0.875rem; }
nav li { margin: 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { margin-top: 3rem; }
p { margin: 0.75rem 0; }
ul { margin: 0.75rem 0; padding-left: 1.25rem; }
li { margin: 0.3rem 0; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, "DejaVu Sans Mono", "Liberation Mono", monospace; }
code { font-size: 0.875em; }
.scroll { overflow-x: auto; max-width: 100%; }
pre { margin: 1rem 0; padding: 0.9rem 1rem; background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; font-size: 0.8125rem; line-height: 1.5; tab-size: 4; }
pre code { display: inline-block; min-width: 100%; font-size: inherit; }
pre .line { display: inline-block; min-width: 100%; }
pre .counted { background: var(--mark); }
pre .gutter { display: inline-block; width: 3em; margin-right: 1em; color: var(--soft); text-align: right; user-select: none; }
pre .tag { color: var(--edge); font-weight: 600; user-select: none; }
.comment { color: var(--comment); font-style: italic; }
.word { color: var(--word); }
.literal { color: var(--number); }
figure { margin: 1.5rem 0; }
figcaption { margin-top: 0.5rem; color: var(--soft); font-size: 0.875rem; line-height: 1.5; }
figure svg { display: block; width: 100%; height: auto; font-variant-numeric: tabular-nums; }
.narrow { display: none; }
.drawing { border: 1px solid var(--rule); border-radius: 8px; padding: 0.5rem; }
.drawing svg { margin: 0 auto; width: auto; max-width: none; }
svg { fill: var(--ink); }
svg text { fill: var(--ink); font-family: inherit; }
svg text[fill="currentColor"] { fill: currentColor; }
svg .grid { stroke: var(--grid); }
svg .axis { stroke: var(--axis); }
svg .roof { stroke: var(--ink); }
svg .rim { stroke: var(--paper); }
svg .hollow { fill: var(--paper); }
svg .edge { color: var(--edge); }
svg .plain { color: var(--soft); }
svg .waits { color: var(--waits); }
svg .schedule { color: var(--ink); }
svg .hue0 { color: var(--hue0); } svg .hue1 { color: var(--hue1); } svg .hue2 { color: var(--hue2); } svg .hue3 { color: var(--hue3); }
svg .hue4 { color: var(--hue4); } svg .hue5 { color: var(--hue5); } svg .hue6 { color: var(--hue6); } svg .hue7 { color: var(--hue7); }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; line-height: 1.45; }
caption { padding: 0.25rem 0 0.5rem; color: var(--soft); font-size: 0.8125rem; text-align: left; }
th, td { padding: 0.4rem 0.9rem 0.4rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--axis); font-weight: 600; }
tbody th { font-weight: 500; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:has(> .share) { white-space: nowrap; }
.share { display: inline-block; width: 4.5rem; height: 0.6em; margin-right: 0.5em; background: var(--rule); border-radius: 3px; overflow: hidden; vertical-align: baseline; }
.share span { display: block; height: 100%; background: var(--bar); }
.scroll + .scroll { margin-top: 1.5rem; }
code.whole { white-space: nowrap; }
.formula { overflow-x: auto; padding: 0.4rem 0; }
math { font-size: 1.05em; }
.status { display: inline-block; min-width: 5.2em; padding: 0.05em 0.55em; border: 1px solid currentColor; border-radius: 1em; color: var(--hue1); font: 600 0.75rem/1.5 system-ui, "Liberation Sans", sans-serif; text-align: center; }
.status.assumed { color: var(--hue3); }
.ledger { padding: 0; list-style: none; }
.ledger li { display: grid; grid-template-columns: 6.25rem 1fr; gap: 0.6rem; align-items: baseline; }
details { margin-top: 0.6rem; }
summary { color: var(--link); font-size: 0.875rem; cursor: pointer; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--rule); color: var(--soft); font-size: 0.8125rem; }
footer code { overflow-wrap: anywhere; }
.drawing polygon[fill="white"], .drawing [fill="none"] { fill: none; }
.drawing path[fill="white"] { fill: var(--paper); }
.drawing [stroke="black"] { stroke: var(--ink); }
@media (prefers-color-scheme: dark) {
  .drawing [fill="#eeeeee"] { fill: #2b3037; }
  .drawing [fill="#cfe2f3"] { fill: #1d3a57; } .drawing [fill="#d9ead3"] { fill: #23432a; }
  .drawing [fill="#fce5cd"] { fill: #553613; } .drawing [fill="#ead1dc"] { fill: #4d2639; }
  .drawing [fill="#fff2cc"] { fill: #4a3d10; } .drawing [fill="#d0e0e3"] { fill: #1c4047; }
  .drawing [stroke="#555555"] { stroke: #a5abb4; } .drawing [fill="#555555"] { fill: #a5abb4; }
}
@media (max-width: 40rem) {
  body { padding: 1.5rem 1rem 3rem; font-size: 1rem; }
  h1 { font-size: 2rem; }
  .lead { font-size: 1.1875rem; }
  .figures { grid-template-columns: 1fr 1fr; }
  .figures dd { font-size: 1.0625rem; }
  .wide { display: none; }
  .narrow { display: block; }
  pre { font-size: 0.75rem; }
  pre .gutter { width: 2em; margin-right: 0.6em; }
  th, td { min-width: 5.5rem; }
  td code { display: inline-block; min-width: 11rem; }
  .ledger li { grid-template-columns: 1fr; gap: 0.1rem; }
  .status { justify-self: start; }
}
@media print {
  :root { --paper: #fff; --panel: #fff; --ink: #000; --soft: #444; --rule: #bbb; --grid: #ddd; --link: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip { display: none; }
  figure, tr, .figures { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  pre, .scroll { overflow: visible; white-space: pre-wrap; }
  section { margin-top: 2rem; }
}
)css";

}  // namespace

const char* page_style() {
  return style;
}

}  // namespace redblue::page
