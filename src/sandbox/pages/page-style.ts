/** The pages' one stylesheet, inline: nothing is requested for it. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: light-dark(#f6f7f9, #14161a);
  --card: light-dark(#ffffff, #1c1f25);
  --line: light-dark(#dfe3e8, #31363f);
  --text: light-dark(#1a1f26, #e6e9ee);
  --soft: light-dark(#5a6472, #9aa4b2);
  --accent: light-dark(#1f5fbf, #7fb0ff);
  --agent: light-dark(#e8f1ff, #1b2a42);
  --note: light-dark(#fff6da, #38300f);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
.top { display: flex; gap: 1.5rem; align-items: baseline; padding: .75rem 1.25rem; background: var(--card);
  border-bottom: 1px solid var(--line); }
.top nav { display: flex; gap: 1rem; }
[aria-current=page] { font-weight: 600; }
main { max-width: 68rem; margin: 0 auto; padding: 1.25rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .5rem; overflow-wrap: anywhere; }
form.search { display: flex; gap: .5rem; margin: 0 0 1rem; }
input[type=search] { flex: 1; min-width: 0; }
input, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: .35rem .7rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0 0 .75rem; }
.soft { color: var(--soft); }
.list { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; }
.list li { padding: .6rem .9rem; border-top: 1px solid var(--line); }
.list li:first-child { border-top: 0; }
.row { display: flex; flex-wrap: wrap; gap: 0 .75rem; justify-content: space-between; }
.row > :first-child { min-width: 0; overflow-wrap: anywhere; }
.badge { display: inline-block; padding: 0 .5em; border: 1px solid var(--line); border-radius: 1em; font-size: .8em; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0 0 1.25rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.thread { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: .75rem; }
.message { max-width: 85%; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: .6rem .9rem; }
.message.agent { align-self: flex-end; background: var(--agent); }
.message.system { align-self: center; }
.message.internal { background: var(--note); border-style: dashed; }
.message header { display: flex; flex-wrap: wrap; gap: 0 .75rem; font-size: .85em; color: var(--soft); }
.message header b { color: var(--text); overflow-wrap: anywhere; }
.message .text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .35rem 0 0; }
.message iframe { display: block; width: min(36rem, 75vw); max-width: 100%; border: 0; margin: .35rem 0 0;
  resize: vertical; }
.h1 { height: 4rem; } .h2 { height: 10rem; } .h3 { height: 20rem; } .h4 { height: 36rem; }
.event { align-self: center; color: var(--soft); font-size: .85em; text-align: center; }
.files { margin: .35rem 0 0; padding: 0; list-style: none; font-size: .9em; overflow-wrap: anywhere; }
.pager { display: flex; gap: 1rem; margin: 1rem 0; }
@media (max-width: 40rem) { .message { max-width: 100%; } main { padding: .75rem; } }
`;
