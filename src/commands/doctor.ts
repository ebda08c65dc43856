/** Exit codes are those of an import. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isFileThere } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { knownCounts } from '../checkpoint/status.ts';
import { type CommandSpec, FILES, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { type LoadedSettings, loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { countOf } from '../domain/printable.ts';
import { parseBaseUrl } from '../helpdesk/address.ts';
import type { ImportPorts } from '../import/import-job.ts';
import { type Options, optionsOf } from '../import/options.ts';
import { listedAgents, openSource } from '../import/source.ts';
import { connect, openTarget } from '../import/target.ts';
import { type Block, type Item, list, paragraph } from '../view/blocks.ts';
import { formatBytes } from '../view/format.ts';
import { checkTarget, type DoctorCheck, type FailureCode, failed, fine, warning } from './doctor-target.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    shared('--base-url'),
    shared('--sandbox', { description: 'look at the local sandbox service instead of a real one' }),
    SET,
    shared('--checkpoint', { group: 'What to read' }),
  ],
  examples: [
    ['doctor', 'is everything ready?'],
    ['doctor export/', 'the files of the export too'],
  ],
  run: doctorCommand,
};

async function doctorCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const ports = { ...portsOf(context, stop), emit: () => undefined };
  let checks: DoctorCheck[];
  try {
    const loaded = await loadSettings(files, flags, [], context);
    checks = await checkAll(loaded, ports);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'configuration') throw error;
    checks = [await checkDisk('temporary files', tmpdir(), 0), failedBy('settings', error)];
  }
  const exitCode = exitCodeOf(checks);
  answer(context, flags, { version: 1, ok: exitCode === 0, checks, exitCode }, checkBlocks(checks));
  return exitCode;
}

function failedBy(name: string, { message, hint, lines }: AppError): DoctorCheck {
  return failed(name, 2, message, hint, lines);
}

async function checkAll(
  { settings, file, warnings }: LoadedSettings,
  ports: ImportPorts,
): Promise<DoctorCheck[]> {
  const options = optionsOf(settings);
  const export_ = await checkExport(options.reading, ports);
  const { checkpointPath: checkpoint } = options;
  const folder = nearestFolder(checkpoint);
  const target = await checkSettingsTarget(options, ports);
  const read = file === undefined ? 'No settings file (optional).' : `${file} is valid.`;
  return [
    await checkDisk('temporary files', tmpdir(), export_.bytes * 2),
    await checkDisk('the checkpoint', folder, 0),
    ...judgeStorage(folder, (await statfs(folder).catch(() => undefined))?.type ?? 0),
    warnings.length === 0 ? fine('settings', read) : warning('settings', read, 'See the remarks.', warnings),
    ...target.checks,
    checkCheckpoint(checkpoint, target.key),
    ...export_.checks,
  ];
}

async function checkSettingsTarget(
  { helpdesk, pace, reading, marks }: Options,
  ports: ImportPorts,
): Promise<{ checks: DoctorCheck[]; key?: string }> {
  const { sandbox } = helpdesk;
  // A missing sandbox is not made.
  if (sandbox !== undefined && !existsSync(sandbox)) {
    const message = `There is no sandbox in ${sandbox} yet: the first run with --sandbox creates it.`;
    return { checks: [fine('target', message)] };
  }
  try {
    await using address = await openTarget(helpdesk);
    const { baseUrl, apiPath, key } = address;
    const unencrypted = parseBaseUrl(baseUrl).warning;
    await using api = connect(address, pace, ports);
    const listed = Object.values(await listedAgents(reading, ports.soft));
    const agentIds = [...listed, ...[reading.fallbackAgent ?? []].flat()];
    const { channelId } = marks;
    const checks = await checkTarget(api, { baseUrl, apiPath, channelId, agentIds }, ports);
    if (unencrypted !== undefined) checks.push(warning('encryption', unencrypted, 'Use https.'));
    return { checks, key };
  } catch (error) {
    if (!(error instanceof AppError) || error.exitCode !== 2) throw error;
    return { checks: [failedBy('target', error)] };
  }
}

/** With the unpacked size, bytes. */
async function checkExport(
  reading: Options['reading'],
  ports: ImportPorts,
): Promise<{ checks: readonly DoctorCheck[]; bytes: number }> {
  if (reading.inputs.length === 0) return { checks: [], bytes: 0 };
  try {
    await using source = await openSource(reading, { ...ports, problem: () => undefined });
    const { files } = source.files;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const size = `${countOf(files.length, 'file')}, ${formatBytes(bytes)}`;
    return { checks: [fine('export', `${size}: the layout is ${source.detection.layout.name}.`)], bytes };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'source' && error.code !== 'configuration'))
      throw error;
    return { checks: [failedBy('export', error)], bytes: 0 };
  }
}

const TONES = { ok: 'good', warning: 'warn', failed: 'bad' } as const;

function checkBlocks(checks: readonly DoctorCheck[]): Block[] {
  const items = checks.map(
    ({ name, status, message, hint, lines = [] }): Item => ({
      lead: name === 'target' ? 'helpdesk' : name,
      text: message,
      tone: TONES[status],
      below: [
        ...lines.flatMap((line): Block[] => {
          const [text = '', ...frame] = line.split('\n');
          return [list('bullets', [{ text }]), ...frame.map((part) => paragraph(part, { look: 'verbatim' }))];
        }),
        ...(hint === undefined ? [] : [paragraph(hint, { look: 'advice' })]),
      ],
    }),
  );
  return [list('checks', items), verdict(checks)];
}

function verdict(checks: readonly DoctorCheck[]): Block {
  const count = (wanted: DoctorCheck['status']) => checks.filter(({ status }) => status === wanted).length;
  if (count('failed') > 0)
    return paragraph(`An import would stop: ${count('failed')} of ${checks.length} checks failed.`, {
      tone: 'bad',
    });
  return count('warning') > 0
    ? paragraph(`Ready to import, with ${countOf(count('warning'), 'warning')}.`, { tone: 'warn' })
    : paragraph('Everything is ready: an import can start.', { tone: 'good' });
}

/** The first of 2, 5, 6: without settings nothing else means much. */
export function exitCodeOf(checks: readonly DoctorCheck[]): 0 | FailureCode {
  const codes = new Set(checks.map(({ exitCode }) => exitCode));
  return ([2, 5, 6] as const).find((code) => codes.has(code)) ?? 0;
}

const LEAST_BYTES = 50_000_000;
const GOOD_BYTES = 1_000_000_000;

/** `needed`: at most, for the plan of the export. */
async function checkDisk(what: string, folder: string, needed: number): Promise<DoctorCheck> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    const message = `The folder ${folder} for ${what} cannot be used (${found.code}).`;
    return failed('disk', 2, message, 'Create it, or name another.');
  }
  return judgeSpace(what, folder, found.bavail * found.bsize, needed);
}

export function judgeSpace(what: string, folder: string, free: number, needed: number): DoctorCheck {
  const message = `${formatBytes(free)} free for ${what}, in ${folder}.`;
  const use = needed > 0 ? ` This export may take ${formatBytes(needed)} there.` : '';
  if (free < LEAST_BYTES || free < needed)
    return failed('disk', 6, message, `Free up space on that disk.${use}`);
  return free < GOOD_BYTES
    ? warning('disk', message, 'A large export may not fit: free up space, or set TMPDIR to a larger disk.')
    : fine('disk', message);
}

/** Network file systems, by `statfs` type: their locks and order of writes are not a disk's. */
const SHARED_STORAGE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS (SMB)'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
]);

/** @param type as `statfs` gives it: a signed number on some systems. Pure. */
export function judgeStorage(folder: string, type: number): DoctorCheck[] {
  const name = SHARED_STORAGE.get(type >>> 0);
  if (name === undefined) return [];
  return [
    warning(
      'disk',
      `The checkpoint would be on ${name} storage, in ${folder}: locks and the order of writes are not reliable there.`,
      'Two runs could write at once, and a crash could lose records. Name a file on a local disk with --checkpoint, and copy it with: helpdesk-import checkpoint backup',
    ),
  ];
}

export function checkCheckpoint(path: string, target: string | undefined): DoctorCheck {
  const name = 'checkpoint';
  if (!isFileThere(path))
    return fine(name, `There is no checkpoint at ${path} yet: the first run creates it.`);
  const { size, mode } = statSync(path);
  try {
    using reader = readCheckpoint(path, target);
    const writer = reader.writer();
    const { known, inDoubt } = knownCounts(reader, writer !== undefined);
    const holds = `${path}: ${formatBytes(size)}, ${countOf(known, 'ticket')}`;
    if (writer !== undefined)
      return warning(
        name,
        `${holds}; ${writer.pid === undefined ? 'a process' : `process ${writer.pid}`} writes to it.`,
        'Wait until that run has ended: two runs never share a checkpoint.',
      );
    if (inDoubt > 0)
      return warning(name, `${holds}, ${inDoubt} of them in doubt.`, 'Settle them: helpdesk-import resolve');
    return (mode & 0o077) !== 0 && process.platform !== 'win32'
      ? warning(name, `${holds}; others on this machine can read it.`, `chmod 600 ${path}`)
      : fine(name, `${holds}.`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(name, 2, error.message, error.hint);
  }
}

/** On the same disk as the future one. */
function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
