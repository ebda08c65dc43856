import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type CommandSpec, shared } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { headOf } from '../cli/output-file.ts';
import { answer } from '../cli/screen.ts';
import { AppError, diskFailure } from '../domain/errors.ts';
import { countOf } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import { isPlan } from '../plan/plan-file.ts';
import { DATA_FILE } from '../sandbox/store/database.ts';
import { isCorrected, rejectFoldersOf } from '../source/reject-folder.ts';
import { type Block, heading, paragraph, table } from '../view/blocks.ts';
import { formatBytes } from '../view/format.ts';
import { stepBlocks } from '../view/next-steps.ts';
import { isReport } from './report.ts';

export const command: CommandSpec = {
  arguments: [['[files...]', 'further files and folders to delete, such as the export']],
  options: [shared('--yes', { description: 'delete what is listed; without it nothing is deleted' })],
  examples: [
    ['clean', 'list rejects, reports, plans and sandboxes in this folder'],
    ['clean export/ --yes', 'delete them, and the export too'],
  ],
  help: () =>
    'The checkpoint and the settings stay: a delta, links and undo need them. So do fetched files, which tickets link to, rejects that someone corrected, and an export that is not named.',
  run: cleanCommand,
};

const CHECKPOINT = /^HIM[PW]/;

type Kind = 'export' | 'rejects' | 'report' | 'plan' | 'sandbox';

/** They stay: fetched files, which tickets link to, rejects that a person may have corrected, and an export that is not named. */
interface Kept {
  readonly kind: 'files' | 'corrected rejects' | 'export';
  readonly path: string;
}

interface Cleanable {
  readonly kind: Kind;
  readonly path: string;
  readonly bytes: number;
}

async function cleanCommand(named: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { settings } = await loadSettings([], { config: flags['config'] }, [], { ...context, env: {} });
  const all = findAll(named, settings.output, context.cwd);
  const full = all.map(({ path }) => resolve(context.cwd, path));
  const unnamed = readdirSync(context.cwd).filter((name) => !full.includes(resolve(context.cwd, name)));
  const kept = [
    ...full.flatMap((path) => keptIn(path)),
    ...unnamed.flatMap((name) => unnamedIn(resolve(context.cwd, name))),
  ];
  const stays = new Set(kept.map(({ path }) => path));
  const found = all
    .filter(({ path }) => !stays.has(resolve(context.cwd, path)))
    .map((one) => ({ ...one, bytes: sizeOf(resolve(context.cwd, one.path), stays) }));
  const keptHere = kept.map((one) => ({ ...one, path: relative(context.cwd, folderOf(one)) }));
  const checkpoints = unnamed.filter((name) => CHECKPOINT.test(applicationOf(resolve(context.cwd, name))));
  const isSure = flags['yes'] === true;
  if (isSure) for (const { path } of found) remove(resolve(context.cwd, path), stays);
  const bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  const what = `${countOf(found.length, 'file or folder', 'files and folders')}, ${formatBytes(bytes)}`;
  const verdict = isSure ? `Deleted ${what}.` : `${what} with customers' words. Nothing was deleted.`;
  answer(context, flags, { version: 1, deleted: isSure, found, kept: distinct(keptHere) }, [
    heading(found.length === 0 ? 'Nothing to delete in this folder.' : verdict, { level: 1 }),
    ...(found.length === 0
      ? []
      : [
          table({
            columns: ['what', 'path', { title: 'size', align: 'right' }],
            rows: found.map(({ kind, path, bytes }) => [kind, path, formatBytes(bytes)]),
          }),
        ]),
    ...keptBlocks(checkpoints.length > 0 ? checkpoints : [settings.output.checkpoint], distinct(keptHere)),
    ...(isSure || found.length === 0
      ? []
      : stepBlocks([{ text: 'To delete them:', command: context.commands.again({ more: ['--yes'] }) }])),
  ]);
  return 0;
}

function keptBlocks(checkpoints: readonly string[], kept: readonly Kept[]): Block[] {
  const of = (kind: Kept['kind']) => kept.filter((one) => one.kind === kind).map(({ path }) => path);
  const [files, rejects, exports] = [of('files'), of('corrected rejects'), of('export')];
  const all = [
    `the ${say('{n|checkpoint|checkpoints}', { n: checkpoints.length })} (${checkpoints.join(', ')})`,
    'settings',
    ...files.map((path) => `fetched files (${path})`),
  ];
  const again = 'Someone corrected them, and no run has read them since. Run them, or delete them yourself.';
  return [
    paragraph(`Kept: ${all.join(', ')}.`),
    ...(exports.length === 0 ? [] : [paragraph(`Kept: ${exports.join(', ')}. Name an export to delete it.`)]),
    ...(rejects.length === 0 ? [] : [paragraph(`Kept: ${rejects.join(', ')}. ${again}`)]),
  ];
}

const folderOf = ({ kind, path }: Kept) => (kind === 'files' ? dirname(path) : path);
const distinct = (kept: readonly Kept[]) => [...new Map(kept.map((one) => [one.path, one])).values()];

/** Only the folder in which it is typed; no folders of others. */
function unnamedIn(path: string): Kept[] {
  if (!lstatSync(path).isDirectory()) return [];
  if (existsSync(stateOf(path))) return [{ kind: 'export', path }];
  return readdirSync(path).flatMap((name) => (/^[0-9a-f]{2}$/.test(name) ? keptIn(join(path, name)) : []));
}

/** What `export` keeps next to its folder: without the folder it is of no use. */
const stateOf = (folder: string) => `${folder}.state.sqlite`;

function keptIn(path: string): Kept[] {
  if (!lstatSync(path).isDirectory()) return [];
  if (isCorrected(path)) return [{ kind: 'corrected rejects', path }];
  const names = readdirSync(path);
  const start = basename(path);
  const isFetched = (name: string) => name.startsWith(start) && /^[0-9a-f]{64}(\.|$)/.test(name);
  if (/^[0-9a-f]{2}$/.test(start) && names.some(isFetched)) return [{ kind: 'files', path }];
  return names.flatMap((name) => keptIn(join(path, name)));
}

/** Named ones, those of the settings, and what the program wrote in this folder; each once. */
function findAll(
  named: readonly string[],
  {
    checkpoint,
    rejects,
    report = '',
  }: { readonly checkpoint: string; readonly rejects: string; readonly report?: string | undefined },
  cwd: string,
): Cleanable[] {
  for (const path of named) requireApart(path, cwd, checkpoint);
  const own = [...readdirSync(cwd), rejects, report].filter((path) => path !== '');
  const kinds = new Map<string, Kind>();
  for (const path of own) {
    const kind = cleanableKind(resolve(cwd, path));
    if (kind !== undefined) kinds.set(resolve(cwd, path), kind);
  }
  for (const path of named) {
    const full = resolve(cwd, path);
    kinds.set(full, cleanableKind(full) ?? 'export');
    if (existsSync(stateOf(full))) kinds.set(stateOf(full), 'export');
  }
  return [...kinds]
    .map(([path, kind]) => ({ kind, path: relative(cwd, path) || path, bytes: sizeOf(path) }))
    .toSorted((one, other) => other.bytes - one.bytes);
}

function requireApart(path: string, cwd: string, checkpoint: string): void {
  const full = resolve(cwd, path);
  const holds = (inner: string) => !relative(full, inner).startsWith('..');
  const why =
    lstatSync(full, { throwIfNoEntry: false }) === undefined
      ? `There is no file or folder ${path}.`
      : holds(cwd)
        ? `${path} holds this folder.`
        : CHECKPOINT.test(applicationOf(full)) || holds(resolve(cwd, checkpoint))
          ? `${path} is a checkpoint or holds one, which a delta, links and undo need.`
          : undefined;
  if (why !== undefined)
    throw new AppError('usage', why, { hint: 'Nothing was deleted. Name files and folders of the export.' });
}

function applicationOf(path: string): string {
  return headOf(path)?.slice(68, 72) ?? '';
}

function cleanableKind(path: string): Kind | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    if (rejectFoldersOf([path]).includes(realpathSync(path))) return 'rejects';
    return applicationOf(join(path, DATA_FILE)) === 'hdis' ? 'sandbox' : undefined;
  }
  const head = headOf(path) ?? '';
  return isReport(head) ? 'report' : isPlan(head) ? 'plan' : undefined;
}

function sizeOf(path: string, stays: ReadonlySet<string> = new Set()): number {
  if (stays.has(path)) return 0;
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name), stays), 0);
}

function remove(path: string, stays: ReadonlySet<string>): void {
  if (stays.has(path)) return;
  if ([...stays].some((kept) => kept.startsWith(join(path, '/'))))
    for (const name of readdirSync(path)) remove(join(path, name), stays);
  else removeWhole(path);
}

function removeWhole(path: string): void {
  try {
    rmSync(path, { recursive: true });
  } catch (cause) {
    throw diskFailure(cause, `${path} cannot be deleted`, 'Allow it, then run the same command again.');
  }
}
