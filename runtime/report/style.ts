/** The style sheet of a report: one column, light or dark as the reader's system is. */
import { inks } from "./chart.ts";

const light = {
  ink: "#1c2430",
  paper: "#ffffff",
  faint: "#dfe4ea",
  soft: "#5c6b7c",
  "line-1": "#2563a8",
  "line-2": "#c2571a",
  "part-1": "#2563a8",
  "part-2": "#3f93c6",
  "part-3": "#d3a01f",
  "part-4": "#3d9a5f",
  "part-5": "#8bc34a",
  "part-6": "#a05fb4",
  "part-7": "#8895a5",
};
const dark = {
  ink: "#dde4ec",
  paper: "#12171e",
  faint: "#2b3441",
  soft: "#93a1b1",
  "line-1": "#6cb2f5",
  "line-2": "#f0a05a",
  "part-1": "#4f93dd",
  "part-2": "#76c3ea",
  "part-3": "#e5bd52",
  "part-4": "#62c088",
  "part-5": "#b3dd7f",
  "part-6": "#c48ad8",
  "part-7": "#7d8b9c",
};

const variables = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");

export const chartCss = `
:root{${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}
${Object.entries(inks)
  .flatMap(([mark, name]) => [`[fill="${mark}"]{fill:var(${name})}`, `[stroke="${mark}"]{stroke:var(${name})}`])
  .join("\n")}
`.trim();

/** On a narrow screen what is wider is moved sideways; a shadow on the side where there is more of it says so. */
const wide = `
.wide{overflow-x:auto}
@media(max-width:40rem){
.wide{--shade:color-mix(in srgb,var(--soft) 45%,transparent);background:linear-gradient(90deg,var(--paper) 50%,transparent),linear-gradient(270deg,var(--paper) 50%,transparent) 100%,linear-gradient(90deg,var(--shade),transparent),linear-gradient(270deg,var(--shade),transparent) 100%;background-repeat:no-repeat;background-size:2.4rem 100%,2.4rem 100%,.6rem 100%,.6rem 100%;background-attachment:local,local,scroll,scroll}
.wide td{white-space:nowrap}
}
`.trim();

export const pageCss = `
${chartCss}
*{box-sizing:border-box}
body{margin:0 auto;max-width:880px;padding:2.5rem 1.5rem 5rem;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .2rem}
h2{font-size:1.05rem;margin:2.6rem 0 .8rem;padding-bottom:.3rem;border-bottom:1px solid var(--faint)}
p{margin:.3rem 0}
.soft{color:var(--soft)}
.figures{display:flex;flex-wrap:wrap;gap:1.6rem 2.6rem;margin-top:1.6rem}
.figures div{font-size:1.35rem;font-variant-numeric:tabular-nums}
.figures small{display:block;color:var(--soft);font-size:.8rem}
${wide}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;overflow-wrap:anywhere;padding:.28rem 1.2rem .28rem 0;border-bottom:1px solid var(--faint);vertical-align:top}
th{color:var(--soft);font-weight:normal;font-size:.85rem;white-space:nowrap}
td.figure{white-space:nowrap}
tr.part td{color:var(--soft)}
tr.part td:first-child{padding-left:1.2rem}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre{background:color-mix(in srgb,var(--faint) 45%,transparent);padding:.9rem 1rem;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
svg{max-width:100%;height:auto}
details summary{cursor:pointer;color:var(--soft)}
`.trim();
