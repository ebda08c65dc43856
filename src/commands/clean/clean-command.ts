/**
 * `helpdesk-import clean`: lists what an import left on this machine that holds customers' messages, and removes it with
 * `--yes`. Only what is known for one of ours is listed, and nothing that is in use.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isFileThere } from '../../checkpoint/file-kind.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer } from '../../cli/answer.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { AppError } from '../../domain/errors.ts';
import { countOf, formatBytes } from '../../present/terminal/format.ts';
import { wrap } from '../../present/terminal/text-block.ts';
import { MARKER } from '../../rejects/reject-folder.ts';
import { DATA_FILE, openDatabase } from '../../sandbox/store/database.ts';
import type { Settings } from '../../settings/settings.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';
import { REPORT_FILE } from '../report/report-options.ts';
import { isReport } from '../report/write-report.ts';
import { isRunLog } from '../run/run-log.ts';

/** Of whose files are looked for. */
const MOST_RUNS = 1_000;

interface Leftover {
  readonly kind: 'rejects' | 'report' | 'log' | 'sandbox' | 'checkpoint';
  readonly path: string;
  readonly bytes: number;
}

const HOLDS: Readonly<Record<Leftover['kind'], string>> = {
  rejects: 'rows of tickets that were not imported',
  report: 'subjects, addresses and sample conversations',
  log: 'external ids and problems',
  sandbox: 'whole tickets of rehearsals',
  checkpoint: 'ids; subjects and addresses of tickets in doubt; the state of the import',
};

export async function cleanCommand(
  _args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { yes, withCheckpoint, sandbox, json: _json, color: _color, ...rest } = flags;
  const { settings } = await loadSettings([], { ...rest, dryRun: true }, [], context);
  const { checkpoint } = settings.output;
  const found = await leftovers(
    [settings.output, ...writtenByRuns(resolve(context.cwd, checkpoint))],
    typeof sandbox === 'string' ? sandbox : SANDBOX_FOLDER,
    context.cwd,
  );
  const state = besides(resolve(context.cwd, checkpoint)).map((path) => leftover('checkpoint', path));
  const listed = withCheckpoint === true ? [...found, ...state] : found;
  const kept = withCheckpoint === true ? [] : state;
  const isRemoved = yes === true;
  if (isRemoved) for (const { path } of listed) rmSync(path, { recursive: true, force: true });
  const named = ({ kind, path, bytes }: Leftover) => ({ kind, path: shortest(path, context.cwd), bytes });
  const json = () => ({
    version: 1,
    removed: isRemoved,
    found: listed.map(named),
    kept: kept.map(named),
  });
  answer(context, flags, json, (style) => {
    const line = (one: Leftover) => {
      const { kind, path, bytes } = named(one);
      return wrap(`${path} (${formatBytes(bytes)}): ${HOLDS[kind]}`, style, { lead: `${kind.padEnd(10)}  ` });
    };
    const what = countOf(listed.length, 'item');
    const verdict =
      listed.length === 0
        ? 'Nothing was found that holds messages of customers.'
        : isRemoved
          ? `${what} removed.`
          : `${what} to remove. Nothing was removed; run it again with --yes to remove what is listed.`;
    return [
      ...listed.flatMap(line),
      ...(listed.length === 0 ? [] : ['']),
      ...wrap(verdict, style),
      ...(kept.length === 0
        ? []
        : wrap(
            `The checkpoint ${checkpoint} is kept: without it an import cannot be continued. --with-checkpoint removes it too.`,
            style,
          )),
      ...wrap(
        'The export itself and files fetched with --files are yours to remove: tickets link to the files.',
        style,
      ),
    ];
  });
  return 0;
}

type Written = Pick<Settings['output'], 'rejects' | 'report' | 'logFile'>;

/** What the runs of a checkpoint were told to write, each where it was typed. Nothing is taken from under a run: throws AppError. */
function writtenByRuns(checkpoint: string): Written[] {
  if (!isFileThere(checkpoint)) return [];
  const reader = readCheckpoint(checkpoint);
  try {
    if (reader.writer() !== undefined)
      throw new AppError('checkpoint', `The checkpoint ${checkpoint} is in use.`, {
        hint: 'Wait until that run has ended. Nothing was removed.',
      });
    return reader.runs(MOST_RUNS).flatMap(({ summary }) => {
      const { rejects, report, log } = (summary?.['written'] ?? {}) as Partial<Record<string, unknown>>;
      if (typeof rejects !== 'string') return [];
      return {
        rejects,
        report: typeof report === 'string' ? report : undefined,
        logFile: typeof log === 'string' ? log : undefined,
      };
    });
  } finally {
    reader.close();
  }
}

/** `written`: where to look, besides reports in the folder in which one works. */
async function leftovers(written: readonly Written[], sandbox: string, cwd: string): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const rejects = written.map((one) => resolve(cwd, one.rejects));
  for (const path of new Set([...rejects, ...rejects.flatMap(shardsOf)]))
    if (existsSync(join(path, MARKER)) && isBelow(path, cwd)) found.push(leftover('rejects', path));
  const reports = [REPORT_FILE, ...written.flatMap(({ report }) => report ?? [])];
  const pages = namesIn(cwd).filter((name) => /\.html?$/i.test(name));
  for (const path of new Set([...reports, ...pages].map((name) => resolve(cwd, name))))
    if (await isReport(path)) found.push(leftover('report', path));
  for (const log of new Set(
    written.flatMap(({ logFile }) => (logFile === undefined ? [] : resolve(cwd, logFile))),
  ))
    if (existsSync(log) && lstatSync(log).isFile() && (await isRunLog(log))) found.push(leftover('log', log));
  const folder = resolve(cwd, sandbox);
  if (existsSync(join(folder, DATA_FILE)) && isBelow(folder, cwd)) {
    // Throws where a service is running with it.
    openDatabase(folder).close();
    found.push(leftover('sandbox', folder));
  }
  return found;
}

/** The folder in which one works, and those above it, are never ours as a whole. */
function isBelow(path: string, cwd: string): boolean {
  return relative(path, cwd).startsWith('..');
}

function shardsOf(rejects: string): string[] {
  const name = basename(rejects);
  return namesIn(dirname(rejects))
    .filter((other) => other.startsWith(`${name}-`) && /^\d+-of-\d+$/.test(other.slice(name.length + 1)))
    .map((other) => join(dirname(rejects), other));
}

/** The checkpoint with its log, its lock and its backup. */
function besides(checkpoint: string): string[] {
  return ['', '-wal', '-shm', '.lock', '.backup']
    .map((ending) => `${checkpoint}${ending}`)
    .filter((path) => existsSync(path));
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function leftover(kind: Leftover['kind'], path: string): Leftover {
  return { kind, path, bytes: sizeOf(path) };
}

function sizeOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function shortest(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way.startsWith('..') ? path : way;
}
