/** A word that nothing else holds, put into one column of an export beside the repository at a time. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Facts } from '../../src/plan/facts.ts';
import { inProcess } from '../cli/in-process.ts';
import { type Columns, columnsIn, markedValue } from '../mapping/support/markers.ts';
import { temporaryFolder } from '../support/cli.ts';
import { seeded } from '../support/seeded.ts';
import { type GivenExport, givenExports } from './exports.ts';
import { isLeftBy, isLostBy, plain } from './named.ts';
import { cellsOf, filesOf } from './raw.ts';

/** Columns of which nothing says that they changed. This list may only shrink. */
const SILENT = parse(readFileSync(join(import.meta.dirname, 'marker.yaml'), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;
/** Of all columns; `SEED` and `COLUMNS` choose others and more. */
const COLUMNS = Number(process.env['COLUMNS'] ?? 250);
const SEED = Number(process.env['SEED'] ?? 1);
const MOST = 40_000;

/** File → its first rows. */
type Texts = ReadonlyMap<string, string>;

function textsOf({ path }: GivenExport): Texts {
  const texts = filesOf(path).map((file) => [relative(path, file), readFileSync(file, 'utf8')] as const);
  const isDocument = (text: string) => columnsOf('x.json', text) !== undefined;
  return new Map(
    texts.map(([name, text]) => [
      name,
      text.length < MOST || isDocument(text) ? text : text.slice(0, text.lastIndexOf('\n', MOST) + 1),
    ]),
  );
}

function columnsOf(name: string, text: string): Columns | undefined {
  try {
    return columnsIn(name, text);
  } catch {
    return undefined;
  }
}

async function factsOf(texts: Texts, config: string): Promise<Facts | undefined> {
  using folder = temporaryFolder();
  for (const [name, text] of texts) {
    const file = folder.join('data', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const [checkpoint, rejects] = [folder.join('x.sqlite'), folder.join('rejects')];
  const flags = { config, dryRun: true, json: true, checkpoint, rejects };
  const { code, stdout } = await inProcess('run', [folder.join('data')], flags, { cwd: folder.path });
  if (code === 2) return undefined;
  return JSON.parse(stdout.replaceAll(folder.path, '')) as Facts;
}

/** `digest` covers all that would be sent. */
const shown = (facts: Facts | undefined) =>
  JSON.stringify(facts, (key, value) => (key === 'durationMs' || key === 'bytes' ? undefined : value));

/** Of a folder that the run does not read. */
const isPassed = ({ problems }: Facts, file: string) =>
  problems.some(
    ({ code, file: folder = '' }) => code === 'ignored-folder' && `/data/${file}`.startsWith(`${folder}/`),
  );

it('a word in any column of a given export is sent, kept, or its column is named', async () => {
  const all = givenExports().flatMap((given) => {
    const texts = textsOf(given);
    return [...texts].flatMap(([file, text]) => {
      const columns = columnsOf(file, text);
      return (columns?.names ?? []).map((column) => ({ given, texts, file, columns, column }));
    });
  });
  const intact = new Map<string, Facts | undefined>();
  for (const { given, texts, file, columns, column } of seeded(SEED).shuffled(all).slice(0, COLUMNS)) {
    const { name, path, config } = given;
    if (!intact.has(name)) intact.set(name, await factsOf(texts, config));
    const before = intact.get(name);
    if (before === undefined || isPassed(before, file)) continue;
    const written = columns?.written(column, (value, n) => markedValue(value, n)[0]) ?? '';
    const after = await factsOf(new Map([...texts, [file, written]]), config);
    if (after === undefined || shown(after) !== shown(before)) continue;
    const plainName = column.replace(/^\d+#/, '');
    const cells = cellsOf(join(path, file)).filter((cell) => plain(cell.column) === plain(plainName));
    const isNamed = [isLostBy(after), isLeftBy(after)];
    if (cells.every((cell) => isNamed.some((is) => is(cell)))) continue;
    expect.soft(SILENT[name] ?? [], name).toContain(`${file}: ${plainName}`);
  }
}, 1_800_000);
