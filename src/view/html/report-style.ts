/**
 * The report's one stylesheet, inline: nothing is requested for it. A page to be read and printed, so it is set like
 * one: a column of text, hairlines instead of boxes, numbers in columns of their own, colour only where it means something.
 */
export const REPORT_STYLE = `
:root {
  color-scheme: light;
  --paper: #fff; --wash: #f6f7f8; --line: #e3e6ea; --ink: #171b21; --soft: #59626e; --link: #1d5fb8;
  --open: #2f6fc4; --pending: #e0a526; --resolved: #3f9d78; --closed: #98a3b1; --plain: #5b7fb5;
  --done: #2d8a63; --ready: #2f6fc4; --rejected: #c0392f; --failed: #d9762b; --doubt: #d0a01d; --skipped: #aab3be;
  --good-ink: #1e6b4b; --warn-ink: #85590a; --bad-ink: #a52c22;
  --good-wash: #eaf5ef; --warn-wash: #fdf4dd; --bad-wash: #fcecea; --card: #fff; --text: #171b21; --agent-back: #eaf2fc; --agent-line: #d3e3f7; --note-back: #fdf5da; --note-line: #e0a526; --note-text: #85590a;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --paper: #14171b; --wash: #1b1f25; --line: #2e343c; --ink: #e7eaee; --soft: #9aa5b2; --link: #86b4f2;
    --open: #5b95e6; --pending: #dba83a; --resolved: #4fae88; --closed: #6d7886; --plain: #7697c9;
    --done: #4cb088; --ready: #5b95e6; --rejected: #e06a5f; --failed: #e2894a; --doubt: #d8b04a; --skipped: #5c6672;
    --good-ink: #7fd0ad; --warn-ink: #e6bf62; --bad-ink: #f09a91;
    --good-wash: #16281f; --warn-wash: #2c2513; --bad-wash: #301c1a; --card: #14171b; --text: #e7eaee; --agent-back: #1a2738; --agent-line: #2b3f5a; --note-back: #2d2815; --note-line: #dba83a; --note-text: #e6bf62;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word;
  font: 15px/22px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1, h2, h3, h4, p, dl, ol, ul, figure { margin: 0; }
h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -.012em; text-wrap: balance; }
h1 { font-size: 2rem; font-weight: 650; letter-spacing: -.025em; max-width: 30ch; }
h2 { font-size: 1.3rem; font-weight: 650; margin: 0 0 .9rem; }
h3 { font-size: 1rem; font-weight: 650; margin: 1.6rem 0 .5rem; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code { font: 13px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.soft, time, .more, .remark { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:not(:focus) { position: absolute; left: -99rem; }
.skip { position: absolute; padding: .5rem 1rem; background: var(--paper); }

.sheet { max-width: 76rem; margin: 0 auto; padding: 3rem 2rem 5rem; display: grid; grid-template-columns: 11.5rem minmax(0, 1fr);
  gap: 0 4rem; }
main, footer { grid-column: 2; max-width: 54rem; min-width: 0; width: 100%; }
nav { grid-column: 1; grid-row: 1 / span 3; }
nav ol { position: sticky; top: 3rem; list-style: none; padding: 0; font-size: 13px; line-height: 1.35; }
nav a { display: flex; justify-content: space-between; gap: .75rem; padding: .28rem 0; color: var(--soft); text-decoration: none; }
nav a:hover { color: var(--ink); }
nav .count, h2 .count { color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums; }
h2 .count { font-size: .85em; margin-left: .25em; }

.eyebrow { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: center; margin-bottom: 1.1rem; color: var(--soft); font-size: 13px; }
.eyebrow b { color: var(--ink); font-weight: 600; }
.tag { display: inline-block; padding: 0 .55em; border: 1px solid var(--line); border-radius: 1em; font-size: 12px; line-height: 19px;
  color: var(--soft); white-space: nowrap; max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
.good { color: var(--good-ink); } .warn { color: var(--warn-ink); } .bad { color: var(--bad-ink); } .strong { font-weight: 600; }
.tag.good { color: var(--good-ink); background: var(--good-wash); border-color: transparent; }
.tag.warn { color: var(--warn-ink); background: var(--warn-wash); border-color: transparent; }
.tag.bad { color: var(--bad-ink); background: var(--bad-wash); border-color: transparent; }
.verdict { display: flex; gap: .9rem; align-items: flex-start; }
.verdict svg { flex: none; width: 30px; height: 30px; margin-top: .35rem; }
.verdict svg circle, .verdict svg path.back { fill: currentColor; }
.verdict svg .mark { fill: none; stroke: var(--paper); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.verdict { color: var(--ink); }
.verdict.good svg { color: var(--done); } .verdict.warn svg { color: var(--doubt); } .verdict.bad svg { color: var(--rejected); }
.lead { margin: 1rem 0 0; font-size: 1.05rem; line-height: 1.55; max-width: 62ch; color: var(--soft); }
.lead strong { color: var(--ink); font-weight: 600; }
p.bad { margin: 1.25rem 0 0; padding: .8rem 1rem; background: var(--bad-wash); border-radius: 8px; }

section { padding: 2.4rem 0 0; margin: 2.4rem 0 0; border-top: 1px solid var(--line); }
section > p + p { margin-top: .5rem; }
section > p.soft { color: var(--soft); max-width: 66ch; margin-bottom: 1rem; }
.bar { display: block; width: 100%; height: 18px; border-radius: 5px; overflow: hidden; margin: 0 0 1.1rem; background: var(--wash); }
.bar rect { stroke: var(--paper); stroke-width: 1.5px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.6rem, 1fr)); gap: 1.4rem 1.25rem; margin: 2rem 0 0; }
.tiles dt::first-letter, .facts dt::first-letter, thead th::first-letter { text-transform: uppercase; }
.tiles dt { color: var(--soft); font-size: 13px; }
.tiles dd { margin: 0; }
.tiles dd b { display: block; font-size: 1.5rem; line-height: 1.35; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.tiles dd span { color: var(--soft); font-size: 13px; line-height: 18px; display: block; }

.scroll { overflow-x: auto; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 650; padding: 1.2rem 0 .25rem; }
th, td { padding: .42rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
th + th, td, th + td { padding-left: 1.25rem; }
thead th { color: var(--soft); font-size: 12.5px; line-height: 18px; border-color: var(--line); white-space: nowrap; }
th.number, td.number { text-align: right; white-space: nowrap; }
tbody th { overflow-wrap: anywhere; min-width: 5rem; }
td { overflow-wrap: break-word; } td:first-child { padding-left: 0; }
.outcomes th .soft, .outcomes th .good, .outcomes th .warn, .outcomes th .bad { color: inherit; }
tr.sum > * { font-weight: 650; border-bottom: 0; }
.more { font-size: 13px; padding: .45rem 0 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .6rem 2rem; }
.facts dt { color: var(--soft); font-size: 13px; line-height: 18px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts time { color: inherit; }
header .facts { margin: 1.8rem 0 0; padding: 1.1rem 0 0; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .6rem 2.6rem; }
.swatch { display: inline-block; width: .7em; height: .7em; border-radius: 3px; margin-right: .5em; }
i.tone-open { background: var(--open); } i.tone-pending { background: var(--pending); } i.tone-resolved { background: var(--resolved); }
i.tone-closed { background: var(--closed); } i.tone-plain { background: var(--plain); } i.tone-done { background: var(--done); }
i.tone-ready { background: var(--ready); } i.tone-rejected { background: var(--rejected); } i.tone-failed { background: var(--failed); }
i.tone-doubt { background: var(--doubt); } i.tone-skipped { background: var(--skipped); }
rect.tone-open { fill: var(--open); } rect.tone-pending { fill: var(--pending); } rect.tone-resolved { fill: var(--resolved); }
rect.tone-closed { fill: var(--closed); } rect.tone-plain { fill: var(--plain); } rect.tone-done { fill: var(--done); }
rect.tone-ready { fill: var(--ready); } rect.tone-rejected { fill: var(--rejected); } rect.tone-failed { fill: var(--failed); }
rect.tone-doubt { fill: var(--doubt); } rect.tone-skipped { fill: var(--skipped); }

.facts + .chart { margin-top: 1.8rem; }
.chart { min-width: 0; }
figcaption { color: var(--soft); display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; justify-content: space-between; margin-bottom: .5rem; }
.legend { font-weight: 400; font-size: 13px; color: var(--soft); display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
.plot { display: flex; padding-right: 8px; }
.plot svg { display: block; overflow: visible; }
.plot .axis { flex: none; } .plot .area { flex: 1; min-width: 0; }
.plot text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.plot text.end { text-anchor: end; } .plot text.tick { text-anchor: middle; }
.plot .grid { stroke: var(--line); } .plot .base { stroke: var(--soft); stroke-opacity: .55; }
.plot rect[class^=tone] { stroke: var(--paper); stroke-width: .75px; }
.numbers { margin-top: .4rem; font-size: 13px; }
.numbers summary { color: var(--soft); cursor: pointer; width: max-content; }
.numbers .scroll { max-height: 22rem; overflow-y: auto; max-width: 36rem; }

.checklist { list-style: none; padding: 0; }
.checklist li { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr); gap: .2rem .4rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
.checklist li::before { content: ""; width: 14px; height: 14px; border: 1.5px solid var(--soft); border-radius: 3px; margin-top: 4px; }
.signatures { display: grid; grid-template-columns: 2fr 1fr 1fr; gap: 1.5rem; margin: 2.6rem 0 0; }
.signatures .tag { border: 0; border-radius: 0; border-top: 1px solid var(--soft); padding-top: .3rem; font-size: 13px; }
.steps { list-style: none; padding: 0; counter-reset: step; }
.steps li { padding: .35rem 0; }
.steps code { display: block; margin: .35rem 0 .2rem; padding: .45rem .7rem; background: var(--wash); border-radius: 6px; white-space: pre-wrap; }
.steps .plainly { max-width: 66ch; }

.problem { padding: 1rem 0 1.1rem; border-bottom: 1px solid var(--line); display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0 1.25rem; }
.problem > div { min-width: 0; }
.bullets { padding-left: 1.2em; }
.problem .times { text-align: right; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 22px; }
.problem.bad .times { color: var(--bad-ink); } .problem.warn .times { color: var(--warn-ink); }
.problem h3 { margin: 0; font-size: 15px; line-height: 22px; font-weight: 650; letter-spacing: 0; }
.problem .advice { margin: .15rem 0 .5rem; color: var(--soft); max-width: 66ch; }
.problem .example { padding: .3rem 0 .3rem .8rem; border-left: 2px solid var(--line); font-size: 13.5px; }
.problem .line { margin: .4rem 0 .15rem; padding: .4rem .7rem; background: var(--wash); border-radius: 4px; overflow-x: auto;
  font: 12.5px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.problem .line .number { color: var(--soft); margin-right: 1.1em; user-select: none; }
.problem .line code { font: inherit; overflow-wrap: normal; }
.problem mark { color: var(--bad-ink); background: var(--bad-wash); border-radius: 2px; box-shadow: inset 0 -2px 0 currentColor; }
.problem.warn mark { color: var(--warn-ink); background: var(--warn-wash); }
.problem mark:empty { display: inline-block; width: .6em; height: 20px; vertical-align: top; }

.ticket { margin: 0 0 1.6rem; border: 1px solid var(--line); border-radius: 12px; overflow: clip; break-inside: auto; }
.ticket > .head { padding: 1.1rem 1.3rem; border-bottom: 1px solid var(--line); }
.ticket h3 { margin: 0 0 .35rem; font-size: 1.1rem; overflow-wrap: anywhere; }
.ticket .facts { margin-top: .8rem; display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; }
.ticket .why { margin-top: .8rem; font-size: 13px; line-height: 19px; color: var(--soft); max-width: 80ch; text-wrap: pretty; }
.checks { list-style: none; padding: 0; margin: .8rem 0 0; font-size: 13.5px; }
.checks li { position: relative; display: grid; grid-template-columns: 1.2rem minmax(0, 1fr); }
.checks li { color: inherit; }
.checks .good::before { content: "✓"; color: var(--good-ink); } .checks .bad::before { content: "✗"; color: var(--bad-ink); }
.ticket .head > p.strong { margin: 1rem 0 .2rem; font-size: 13px; }
.checklist + .ticket { margin-top: 1.4rem; }
.checks + .checks { margin-top: .2rem; }
.ticket .checklist { columns: 20rem 2; column-gap: 2rem; font-size: 13.5px; line-height: 20px; }
.ticket .checklist li { padding: .2rem 0; border: 0; break-inside: avoid; }
.ticket .checklist li::before { width: 12px; height: 12px; }
.checked { margin-top: .6rem; } .checked summary::marker { color: var(--good-ink); }
.ticket .thread { padding: 1.2rem 1.3rem 1.4rem; background: var(--wash); }
.bubble header { font-size: 13px; } .bubble header time { font-size: 12px; }
.framed { white-space: pre-wrap; }
.framed { position: relative; }
.framed .below { visibility: hidden; padding-bottom: 2px; }
.framed iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; background: transparent; }
.pictures { display: flex; flex-wrap: wrap; gap: .4rem; margin: .5rem 0 0; }
.pictures img { max-width: 100%; max-height: 16rem; }
.bubble .files { padding: .45rem 0 0; margin: .5rem 0 0; border-top: 1px solid var(--line); font-size: 13px; }
.clip { width: 13px; height: 13px; margin-right: .45em; vertical-align: -2px; fill: none; stroke: var(--soft); stroke-width: 1.3; stroke-linecap: round; }
footer { margin-top: 3rem; padding-top: 1.2rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 13px; line-height: 20px; }

@media (max-width: 62rem) {
  .sheet { display: block; padding: 2rem 1.5rem 4rem; }
  main, footer { margin-inline: auto; }
  nav { display: none; }
}
@media (max-width: 40rem) {
  .sheet { padding: 1.4rem 1rem 3rem; }
  h1 { font-size: 1.55rem; }
  .verdict { gap: .6rem; } .verdict svg { width: 24px; height: 24px; margin-top: .25rem; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .facts { grid-template-columns: 1fr; }
  .plot .rare { display: none; }
  .problem { grid-template-columns: 1fr; } .problem .times { text-align: left; }
  .problem .times::after { content: " ×"; }
  .ticket > .head, .thread { padding-inline: .9rem; }
  .signatures { grid-template-columns: 1fr; gap: 2.4rem; }
  td.remark, thead th.remark { min-width: 12rem; } .outcomes :is(th, td):nth-child(3) { display: none; }
  .outcomes td.remark, .outcomes th.remark { min-width: 0; }
}
@page { size: A4; margin: 14mm 15mm 16mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt ui-sans-serif, system-ui, sans-serif; color: #59626e; } }
@media print {
  .problem .line { white-space: pre-wrap; overflow-wrap: anywhere; }
  body { font-size: 9.5pt; line-height: 14pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .sheet { display: block; padding: 0; max-width: none; }
  main, footer { max-width: none; }
  nav, .skip, .numbers:not(.checked) { display: none; }
  h1 { font-size: 20pt; } h2 { font-size: 13pt; }
  section { margin-top: 16pt; padding-top: 14pt; }
  h2, h3, h4, caption, figcaption, thead, .ticket > .head { break-after: avoid; }
  figure, tr, li, .problem, .tiles > div, .signatures { break-inside: avoid; }
  .message, .event { break-inside: avoid; }
  .ticket .thread { display: block; } .ticket .thread > * { margin: 0 0 8pt; } .message.agent { margin-left: 16%; }
  .decision { break-after: page; font-size: 9pt; line-height: 12pt; }
  .decision section { margin-top: 3pt; padding-top: 4pt; } .decision h2 { margin-bottom: 3pt; font-size: 11.5pt; }
  .decision section > p.soft { display: none; } .decision .bullets { columns: 2; column-gap: 18pt; } .decision p.bad { margin-top: 6pt; padding: 5pt 8pt; }
  .decision .more { padding: 1pt 0 0; } .decision .eyebrow { margin-bottom: 4pt; }
  .decision .lead { margin-top: 5pt; font-size: 9.5pt; line-height: 13pt; max-width: none; }
  .decision .facts { margin-top: 7pt; padding-top: 6pt; gap: 3pt 20pt; }
  .decision .tiles { margin-top: 8pt; gap: 6pt 14pt; grid-template-columns: repeat(6, 1fr); }
  .decision .tiles dd b { font-size: 13pt; line-height: 16pt; } .decision .tiles dd span, .decision .tiles dt { font-size: 8pt; line-height: 10pt; }
  .decision th, .decision td { padding-block: 2pt; } .decision .bar { height: 12px; margin-bottom: 4pt; }
  .decision .checklist li { padding: 1pt 0; } .decision .checklist li::before { margin-top: 1px; width: 11px; height: 11px; }
  .decision .signatures { margin-top: 12pt; } .decision h1 { font-size: 17pt; max-width: none; }
  .scroll, .ticket { overflow: visible; }
  .framed .below { visibility: visible; } .framed iframe { display: none; }
  a { color: inherit; text-decoration: none; }
}
`;
