/** What detection says when it cannot decide: errors that show what was found and what to do. */
import { AppError } from '../../domain/errors.ts';
import type { Layout } from '../language/layout.ts';
import type { Collection } from './collections.ts';
import { isRecognised, recogniseTable } from './recognise.ts';

/** Two layouts fit equally well: the person has to say which one it is. */
export function tie(best: Layout, second: Layout): AppError {
  const names = [best, second].map(({ name, title }) => `${name} (${title})`);
  return new AppError('source', `This export fits two layouts equally well: ${names.join(' and ')}.`, {
    hint: `Say which it is: --from ${best.name} or --from ${second.name}.`,
  });
}

/** Columns that are shown of a file, and layouts that are named. */
const SHOWN = 12;

/** No layout fits: what was found, what the nearest layouts lack, and the way on. */
export function unknownLayout(
  collections: readonly Collection[],
  layouts: readonly Layout[],
  from: string | undefined,
): AppError {
  const lines = collections.slice(0, SHOWN).map((collection) => {
    const more = collection.columns.length > SHOWN ? `, … (${collection.columns.length})` : '';
    const at = collection.stream ?? collection.path?.join('.');
    return `${collection.name}${at === undefined || at === '' ? '' : ` at ${at}`}: ${collection.columns.slice(0, SHOWN).join(', ')}${more}`;
  });
  const near = nearestLayouts(collections, layouts).map(
    ({ layout, missing }) => `${layout.name} (${layout.title}) would need ${missing.join(', ')}`,
  );
  const message =
    from === undefined
      ? 'This export has none of the known layouts.'
      : `This export does not fit the layout ${from}.`;
  return new AppError('source', message, {
    lines: [...lines, ...near],
    hint: 'Run "helpdesk-import init" with these files: it proposes a mapping for them.',
  });
}

function nearestLayouts(
  collections: readonly Collection[],
  layouts: readonly Layout[],
): { layout: Layout; missing: readonly string[] }[] {
  return layouts
    .flatMap((layout) => {
      const [name, rule] =
        Object.entries(layout.tables).find(([, { role }]) => role === 'root' || role === 'group') ?? [];
      if (name === undefined || rule === undefined) return [];
      const tries = collections
        .map((collection) => recogniseTable(layout, name, rule, collection))
        .flatMap((result) =>
          isRecognised(result) || result.found <= 0 || result.missing.length === 0 ? [] : [result],
        )
        .sort((a, b) => a.missing.length - b.missing.length || b.found - a.found);
      const [near] = tries;
      return near === undefined ? [] : [{ layout, missing: near.missing, found: near.found }];
    })
    .sort((a, b) => a.missing.length - b.missing.length || b.found - a.found)
    .slice(0, 3);
}
