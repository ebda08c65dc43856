/** "Did you mean …?": one rule for settings, mappings and values. */

/** By edit distance (a swap is one edit), ignoring case, `-` and `_`. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = plain(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = plain(candidate);
    const limit = Math.min(bestDistance - 1, tolerance(wanted.length, other.length));
    if (limit < 0 || Math.abs(wanted.length - other.length) > limit) continue;
    const distance = editDistance(wanted, other);
    if (distance <= limit) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** With its leading space, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const match = nearest(word, known);
  return match === undefined ? '' : ` Did you mean "${match}"?`;
}

function tolerance(a: number, b: number): number {
  const shorter = Math.min(a, b);
  return shorter === 0 ? 0 : Math.min(3, Math.max(1, Math.floor(shorter / 3)));
}

const LONGEST = 64;

function plain(word: string): string {
  return word
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? a.length;
}
/** Commands, options, settings and layouts that went, each with a sentence on its replacement. */
const RETIRED: ReadonlyMap<string, string> = new Map([
  ...['links map', 'links plan', 'links apply', 'target.ticketUrl'].map(
    (name) =>
      [
        name,
        'Links in messages stay as exported; `helpdesk-import links` prints the old and the new ID of each ticket.',
      ] as const,
  ),
  ['people', 'People are merged in the export: give both rows the same e-mail address before `run`.'],
  ['mail-test', 'Type `helpdesk-import doctor --mail you@example.com`.'],
  ['init --propose', 'Type `helpdesk-import init` without it: the table changes a known layout too.'],
  ['mapping.declares', 'Write `claims`, a list: claims: [{ messages: COLUMN, in: [{ from: TABLE }] }].'],
  ...['ticket-rows', 'message-rows'].map(
    (name) =>
      [
        `layout ${name}`,
        'Leave it out: a run maps such files by their columns, and `helpdesk-import init` writes the mapping.',
      ] as const,
  ),
  ['mapping.transform', 'Change the export before it is read, with jq or a script of your own.'],
]);

/** `typed`: `links plan`, `init --propose` or `target.ticketUrl`. */
export function retired(typed: string): string | undefined {
  return RETIRED.get(typed);
}
