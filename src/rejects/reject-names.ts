/** Names of reject files: those of the source, without archive or compression. */
import { dirname, sep } from 'node:path';
import type { SourceFile } from '../domain/source-file.ts';

/** By file ID. Names are unique and stay inside the folder. */
export function rejectNames(files: readonly SourceFile[]): ReadonlyMap<number, string> {
  const paths = files.map(pathOf);
  const last = (path: readonly string[]) => path.at(-1) ?? 'data';
  const chosen =
    distinct(paths.map(last)) ??
    distinct(
      belowCommon(paths)
        .filter((path) => path.length > 1)
        .map((path) => path.join('/')),
      paths.length,
    );
  const names = chosen ?? paths.map((path) => path.join('-'));
  const taken = new Set(['unreadable.csv', 'unreadable.jsonl']);
  return new Map(
    files.map((file, index) => {
      const free = freeName(names[index] ?? last(paths[index] ?? []), taken);
      taken.add(free.toLowerCase());
      return [file.id, free];
    }),
  );
}

/** A free name: `tickets.csv`, then `tickets-2.csv`. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${stem}-${number}${ending}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}

const ENDINGS: Readonly<Record<SourceFile['format'], string>> = {
  csv: '.csv',
  json: '.jsonl',
  jsonl: '.jsonl',
};

function pathOf({ name, format }: SourceFile): string[] {
  if (name === '-') return [`stdin${ENDINGS[format]}`];
  const [outside = '', inside] = name.split('!', 2);
  const folder = dirname(outside) === '.' ? '' : dirname(outside);
  const path = inside === undefined ? outside : `${folder}/${inside}`;
  const parts = path.split(sep).flatMap((part) => part.split('/'));
  const clean = parts.filter((part) => part !== '' && part !== '.' && part !== '..');
  const file = (clean.pop() ?? 'data').replace(/\.(gz|zst|zip)$/i, '').replace(/^\.+/, '');
  // A document becomes JSONL.
  const own = format === 'json' ? file.replace(/\.json$/i, '') : file;
  return [...clean, /\.\w+$/.test(own) ? own : `${own}${ENDINGS[format]}`];
}

/** The names, if there are `count` of them and they differ by more than case. */
function distinct(names: readonly string[], count = names.length): readonly string[] | undefined {
  return names.length === count && new Set(names.map((name) => name.toLowerCase())).size === count
    ? names
    : undefined;
}

/** Paths without their common folders. */
function belowCommon(paths: readonly (readonly string[])[]): string[][] {
  const [first = []] = paths;
  let common = 0;
  while (
    common < first.length - 1 &&
    paths.every((path) => path.length > common + 1 && path[common] === first[common])
  ) {
    common++;
  }
  return paths.map((path) => path.slice(common));
}
