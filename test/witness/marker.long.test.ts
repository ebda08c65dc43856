/** A word that nothing else holds, put into one column of an export beside the repository at a time. */
import { subscribe } from 'node:diagnostics_channel';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { expect, it } from 'vitest';
import type { LearntSource } from '../../src/import/run.ts';
import type { CellCount } from '../../src/mapping/compile/ledger.ts';
import type { Facts } from '../../src/plan/facts.ts';
import { inProcess } from '../cli/in-process.ts';
import { admits, fatesIn, isSilent } from '../mapping/support/fates.ts';
import { type Columns, columnsIn } from '../mapping/support/markers.ts';
import { temporaryFolder } from '../support/cli.ts';
import { seeded } from '../support/seeded.ts';
import { type GivenExport, givenExports } from './exports.ts';
import { isLeftBy, isLostBy, plain } from './named.ts';
import { filesOf } from './raw.ts';

/** Of all columns, of which no more than the listed ones are silent; `SEED` and `COLUMNS` choose others and more. */
const COLUMNS = Number(process.env['COLUMNS'] ?? 250);
const SEED = Number(process.env['SEED'] ?? 1);
const MOST = 20_000;
const MOST_ITEMS = 12;

/** File → its beginning. */
type Texts = ReadonlyMap<string, string>;

function textsOf({ path }: GivenExport): Texts {
  return new Map(
    filesOf(path).map((file) => {
      const text = readFileSync(file, 'utf8');
      return [relative(path, file), text.length < MOST ? text : beginningOf(text)] as const;
    }),
  );
}

function beginningOf(text: string): string {
  const lists = (_: string, value: unknown) => (Array.isArray(value) ? value.slice(0, MOST_ITEMS) : value);
  try {
    return JSON.stringify(JSON.parse(text), lists);
  } catch {
    return text.slice(0, text.lastIndexOf('\n', MOST) + 1);
  }
}

function columnsOf(name: string, text: string): Columns | undefined {
  try {
    return columnsIn(name, text);
  } catch {
    return undefined;
  }
}

/** All that would be sent, kept or rejected, and the fate of each cell. */
interface Imported {
  readonly texts: string;
  readonly fates: ReturnType<typeof fatesIn>;
}

const PLANNED = `SELECT concat_ws(' ', ticket, messages, events, note, names, agents, requester, why) FROM ticket`;
const REJECTED = `SELECT text FROM row WHERE id IN (
  SELECT row FROM ticket WHERE verdict IN ('rejected', 'unreadable') UNION
  SELECT place.value ->> 0 FROM ticket, json_each(rest, '$.rows') AS of_table, json_each(of_table.value) AS place
  WHERE verdict = 'rejected')`;

let imported: Imported | undefined;
subscribe('helpdesk-import:cells', (message) => {
  const { source, cells } = message as { source: LearntSource; cells: readonly CellCount[] };
  const { files, stage } = source.files;
  const texts = (sql: string) => stage.database.prepare<[], string>(sql).pluck().all();
  const orphans = [...source.joined.unmatchedRows()].map(({ ref }) => stage.get(ref.row).text);
  const nameOf = (file: number) => files[file]?.name.replace(/^.*?\bdata\//, '') ?? '';
  imported = {
    texts: [...texts(PLANNED), ...texts(REJECTED), ...orphans].join('\n'),
    fates: fatesIn(cells, source.detection.plan, nameOf),
  };
});

/** Undefined if the run stops. */
async function importOf(texts: Texts, config: string): Promise<(Imported & { facts: Facts }) | undefined> {
  using folder = temporaryFolder();
  for (const [name, text] of texts) {
    const file = folder.join('data', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const [checkpoint, rejects] = [folder.join('x.sqlite'), folder.join('rejects')];
  const flags = { config, dryRun: true, json: true, checkpoint, rejects };
  imported = undefined;
  const { code, stdout } = await inProcess('run', [folder.join('data')], flags, { cwd: folder.path });
  if (code === 2 || imported === undefined) return undefined;
  const facts = JSON.parse(stdout.replaceAll(folder.path, '')) as Facts;
  return { ...(imported as Imported), facts };
}

/** `digest` covers all that would be sent. */
const shown = (facts: Facts | undefined) =>
  JSON.stringify(facts, (key, value) => (key === 'durationMs' || key === 'bytes' ? undefined : value));

const hasOlder = ({ problems }: Facts, file: string) =>
  problems.some(({ code, file: of = '' }) => code === 'older-version' && of.endsWith(file));

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
  const silent: string[] = [];
  for (const { given, texts, file, columns, column } of seeded(SEED).shuffled(all).slice(0, COLUMNS)) {
    const { name, config } = given;
    if (!intact.has(name)) intact.set(name, (await importOf(texts, config))?.facts);
    const before = intact.get(name);
    if (before === undefined || isPassed(before, file)) continue;
    const path = plain(column.replace(/^\d+#/, ''));
    const isQuiet = await isSilent(async (change) => {
      const after = await importOf(
        new Map([...texts, [file, columns?.written(column, change) ?? '']]),
        config,
      );
      if (after === undefined) return undefined;
      const place = { file: basename(file), column: path, stream: '', text: '' };
      const result = shown(after.facts);
      return {
        texts: `${after.texts}\n${result}`,
        isNamed: isLostBy(after.facts)(place) || isLeftBy(after.facts)(place) || hasOlder(after.facts, file),
        isChanged: result !== shown(before),
        fates: after.fates(file, path),
      };
    });
    if (isQuiet && !admits(before.layout ?? '', path))
      silent.push(`${name} (${before.layout}) ${file}: ${path}`);
  }
  expect(silent).toEqual([]);
}, 1_800_000);
