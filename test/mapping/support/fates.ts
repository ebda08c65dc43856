/** Whether a column in which a word was put says so: what the ledger made of its cells, found by the path in its file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JoinPlan } from '../../../src/domain/source-file.ts';
import type { CellCount, Fate } from '../../../src/mapping/compile/ledger.ts';
import { markedValue } from './markers.ts';

/** Silent columns by layout, with the reason; `*` stands for any text. The list may only shrink. */
const ADMITTED = parse(readFileSync(join(import.meta.dirname, '../marker.yaml'), 'utf8')) as readonly {
  readonly layouts: readonly string[];
  readonly columns: readonly string[];
}[];

/** By the end of the column's path. */
export const admits = (layout: string, path: string): boolean =>
  ADMITTED.some(
    ({ layouts, columns }) =>
      layouts.includes(layout) &&
      columns.some((name) =>
        new RegExp(`(?:^|\\.)${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(path),
      ),
  );

type Fates = (file: string, column: string) => ReadonlySet<Fate>;

export const plain = (path: string) => path.replaceAll('[]', '').replace(/^\./, '');

/** `nameOf`: of a file of the plan. Empty for a path outside of the rows, and for rows that no ticket has. */
export function fatesIn(
  cells: readonly CellCount[],
  { tables }: JoinPlan,
  nameOf: (file: number) => string,
): Fates {
  const inputs = tables.flatMap(({ name, inputs }) =>
    inputs.map(({ file, selector }) => ({
      table: name,
      file: nameOf(file),
      above: [...(selector?.path ?? []), ...(selector?.unwrap ?? [])].map((key) => `${key}.`).join(''),
    })),
  );
  return (file, path) =>
    new Set(
      inputs
        .filter((input) => input.file === file && plain(path).startsWith(input.above))
        .flatMap(({ table, above }) => {
          const column = plain(path).slice(above.length);
          const isOf = (cell: CellCount) => {
            const [head = ''] = plain(cell.column).split(': ');
            return column === head || column.startsWith(`${head}.`);
          };
          return cells.filter((cell) => cell.table === table && isOf(cell)).map(({ fate }) => fate);
        }),
    );
}

export interface Marked {
  /** Everything that would be sent or kept, and everything that is said. */
  readonly texts: string;
  /** By lost, left or kept. */
  readonly isNamed: boolean;
  readonly isChanged: boolean;
  readonly fates: ReadonlySet<Fate>;
}

/** Nothing of these is sent: the words of rules, IDs, and what a rule leaves. */
const UNSENT: ReadonlySet<Fate> = new Set(['key', 'decided', 'technical', 'left']);
const WORDLESS: ReadonlySet<Fate> = new Set(['key', 'left']);

type Mark = (value: unknown, n: number) => readonly [value: unknown, seek: string | undefined];

const sentence: Mark = (value, n) =>
  typeof value === 'string'
    ? [`zqm${n}q wrote a few words here`, `zqm${n}q wrote a few words`]
    : [value, undefined];

/** `imported`: with each value of the column changed; undefined: the run stopped. */
export async function isSilent(
  imported: (change: (value: unknown, n: number) => unknown) => Promise<Marked | undefined>,
): Promise<boolean> {
  const marked = async (mark: Mark) => {
    const seeks: string[] = [];
    const found = await imported((value, n) => {
      const [changed, seek] = mark(value, n);
      // As it is sent, or as a rejected row has it.
      if (seek !== undefined) seeks.push(seek, String(changed));
      return changed;
    });
    const isSaid = found === undefined || found.isNamed || seeks.some((seek) => found.texts.includes(seek));
    return { isSaid, found, isText: seeks.length > 0 };
  };
  const { isSaid, found, isText } = await marked(markedValue);
  if (isSaid || found === undefined || (found.isChanged && !isText)) return false;
  const isOf = (fates: ReadonlySet<Fate>) => [...found.fates].every((fate) => fates.has(fate));
  if (!isOf(UNSENT)) return true;
  if (found.isChanged || (found.fates.size > 0 && isOf(WORDLESS))) return false;
  const said = await marked(sentence);
  return said.isText && !said.isSaid && said.found?.isChanged === false;
}
