import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type CommandSpec, shared } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { headOf } from '../cli/output-file.ts';
import { answer } from '../cli/screen.ts';
import { AppError, diskCode } from '../domain/errors.ts';
import { countOf } from '../domain/printable.ts';
import { isPlan } from '../plan/plan-file.ts';
import { DATA_FILE } from '../sandbox/store/database.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import { heading, paragraph, table } from '../view/blocks.ts';
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
    'The checkpoint and the settings stay: a delta, links and undo need them. So do fetched files, which tickets link to.',
  run: cleanCommand,
};

type Kind = 'export' | 'rejects' | 'report' | 'plan' | 'sandbox';

interface Found {
  readonly kind: Kind;
  readonly path: string;
  readonly bytes: number;
}

async function cleanCommand(named: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { settings } = await loadSettings([], { config: flags['config'] }, [], { ...context, env: {} });
  const found = findAll(named, settings.output, context.cwd);
  const isSure = flags['yes'] === true;
  if (isSure) for (const { path } of found) remove(path, context.cwd);
  const bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  const what = `${countOf(found.length, 'file or folder', 'files and folders')}, ${formatBytes(bytes)}`;
  const verdict = isSure ? `Deleted ${what}.` : `${what} with customers' words. Nothing was deleted.`;
  answer(context, flags, { version: 1, deleted: isSure, found }, [
    heading(found.length === 0 ? 'Nothing to delete in this folder.' : verdict, { level: 1 }),
    ...(found.length === 0
      ? []
      : [
          table({
            columns: ['what', 'path', { title: 'size', align: 'right' }],
            rows: found.map(({ kind, path, bytes }) => [kind, path, formatBytes(bytes)]),
          }),
        ]),
    paragraph(`Kept: the checkpoint (${settings.output.checkpoint}), settings and fetched files.`),
    ...(isSure || found.length === 0
      ? []
      : stepBlocks([{ text: 'To delete them:', command: context.commands.again({ more: ['--yes'] }) }])),
  ]);
  return 0;
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
): Found[] {
  for (const path of named) requireApart(path, cwd, checkpoint);
  const own = [...readdirSync(cwd), rejects, report].filter((path) => path !== '');
  const kinds = new Map<string, Kind>();
  for (const path of own) {
    const kind = kindOf(resolve(cwd, path));
    if (kind !== undefined) kinds.set(resolve(cwd, path), kind);
  }
  for (const path of named) kinds.set(resolve(cwd, path), kindOf(resolve(cwd, path)) ?? 'export');
  return [...kinds]
    .map(([path, kind]) => ({ kind, path: relative(cwd, path) || path, bytes: sizeOf(path) }))
    .toSorted((one, other) => other.bytes - one.bytes);
}

/** Throws AppError `usage` for a missing path, a folder around this one, or a checkpoint. */
function requireApart(path: string, cwd: string, checkpoint: string): void {
  const full = resolve(cwd, path);
  const holds = (inner: string) => !relative(full, inner).startsWith('..');
  const why =
    lstatSync(full, { throwIfNoEntry: false }) === undefined
      ? `There is no file or folder ${path}.`
      : holds(cwd)
        ? `${path} holds this folder.`
        : /^HIM[PW]/.test(applicationOf(full)) || holds(resolve(cwd, checkpoint))
          ? `${path} is a checkpoint or holds one, which a delta, links and undo need.`
          : undefined;
  if (why !== undefined)
    throw new AppError('usage', why, { hint: 'Nothing was deleted. Name files and folders of the export.' });
}

function applicationOf(path: string): string {
  return headOf(path)?.slice(68, 72) ?? '';
}

function kindOf(path: string): Kind | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    if (rejectFoldersOf([path]).includes(realpathSync(path))) return 'rejects';
    return applicationOf(join(path, DATA_FILE)) === 'hdis' ? 'sandbox' : undefined;
  }
  const head = headOf(path) ?? '';
  return isReport(head) ? 'report' : isPlan(head) ? 'plan' : undefined;
}

function sizeOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function remove(path: string, cwd: string): void {
  try {
    rmSync(resolve(cwd, path), { recursive: true });
  } catch (cause) {
    const code = diskCode(cause);
    if (code === undefined) throw cause;
    throw new AppError('disk-write', `${path} cannot be deleted (${code}).`, {
      hint: 'Allow it, then run the same command again.',
      cause,
    });
  }
}
