package report

// style is the page's; all that it needs is here.
const style = `
:root{--ink:#1c2330;--soft:#5b6472;--line:#d4d9e0;--fine:#eceff3;--paper:#fff;--card:#f7f8fa;
--c0:#1f6fd6;--c1:#c2570c;--c2:#0f8a6a;--c3:#a83f9c;--c4:#7a6a00;--c5:#c02a3c}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa4b2;--line:#3a4250;--fine:#262c36;--paper:#14181f;--card:#1b2028;
--c0:#6fb0ff;--c1:#ff9d5c;--c2:#4fd1a8;--c3:#e48ad9;--c4:#d8c64a;--c5:#ff7b8a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1200px;margin:0 auto;padding:16px}
h1{font-size:1.6rem;line-height:1.2;margin:.4em 0}
h2{font-size:1.15rem;margin:.6em 0 .4em}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:16px}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px;min-width:0}
svg.chart{display:block;width:100%;height:auto}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}
svg .x{text-anchor:middle}
svg .y{text-anchor:end}
svg .grid{stroke:var(--line);stroke-width:1}
svg .fine{stroke:var(--fine);stroke-width:.7}
svg path{fill:none}
[class^=s]>path,.legend path{stroke:currentColor;stroke-width:2;stroke-linejoin:round;fill:none}
[class^=s] circle,[class^=s] rect,[class^=s] .mark{fill:currentColor;stroke:none}
.dot>path,.legend .dot path{stroke-dasharray:1 4;stroke-linecap:round}
.dash>path,.legend .dash path{stroke-dasharray:6 4}
.s0{color:var(--c0)}.s1{color:var(--c1)}.s2{color:var(--c2)}.s3{color:var(--c3)}.s4{color:var(--c4)}.s5{color:var(--c5)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:8px 0;padding:0}
.legend svg{width:28px;height:10px;margin-right:6px}
.note{color:var(--soft);font-size:.9rem;margin:.3em 0}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:3px 10px;text-align:right;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
thead th{color:var(--soft)}
td.name,th.name{text-align:left}
section.numbers{margin-top:16px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px;overflow-x:auto;margin:0}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--fine:#e6e6e6;--paper:#fff;--card:#fff;
--c0:#1f6fd6;--c1:#c2570c;--c2:#0f8a6a;--c3:#a83f9c;--c4:#7a6a00;--c5:#c02a3c}
body{font-size:10pt}main{max-width:none;padding:0}.charts{display:block}
section{break-inside:avoid;margin-bottom:12px}section.numbers{break-inside:auto}tr{break-inside:avoid}
svg.chart{max-width:160mm;margin:0 auto}.table{overflow:visible}th,td{padding:1px 6px}pre{white-space:pre-wrap}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`
