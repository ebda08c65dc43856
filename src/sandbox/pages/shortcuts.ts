/** The dialog that tells the keys; browser/keys.js opens it and carries them out. */
import { html } from 'hono/html';

const SHORTCUTS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['j', 'k'], does: 'next and previous ticket' },
  { keys: ['Enter', 'o'], does: 'open the ticket' },
  { keys: ['u'], does: 'back to the list' },
  { keys: ['n', 'p'], does: 'next and previous page' },
  { keys: ['/'], does: 'search' },
  { keys: ['?'], does: 'these keys' },
];

export const SHORTCUTS_DIALOG = html`<dialog aria-labelledby="shortcuts-title">
<header><h2 id="shortcuts-title">Keys</h2><form method="dialog"><button>Close</button></form></header>
<dl>${SHORTCUTS.map(
  ({ keys, does }) =>
    html`<dt>${keys.map((key, index) => html`${index === 0 ? '' : ' '}<kbd>${key}</kbd>`)}</dt><dd>${does}</dd>`,
)}</dl>
</dialog>`;
