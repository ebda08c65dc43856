/**
 * The pages' styles and scripts: files of browser/, put into each page inline and named by their hashes in its policy.
 * Inline, so that no address of this origin needs to be trusted with scripts: uploaded files are served from it too.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Asset {
  readonly text: string;
  /** `'sha256-…'`, as a policy names it. */
  readonly source: string;
}

function asset(...files: string[]): Asset {
  const text = files
    .map((file) => readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8'))
    .join('\n');
  return { text, source: `'sha256-${hash('sha256', text, 'base64')}'` };
}

export const PAGE_STYLE = asset('base.css', 'controls.css', 'lists.css', 'ticket.css', 'usage.css');
/** Inside the frames of bodies: they inherit the page's policy, so it names this one too. */
export const FRAME_STYLE = asset('frame.css');
export const PAGE_SCRIPTS: readonly Asset[] = ['times.js', 'frames.js', 'filters.js', 'keys.js'].map((file) =>
  asset(file),
);
