/** The beginning of a run, stopped before the first ticket and shown as a list. Exit codes are those of an import. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isFileThere } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { knownCounts } from '../checkpoint/status.ts';
import { type CommandSpec, FILES, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { type LoadedSettings, loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import { countOf } from '../domain/printable.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { parseBaseUrl } from '../helpdesk/address.ts';
import { pageOf } from '../helpdesk/answers.ts';
import { listedAgents } from '../import/agents.ts';
import { readExport } from '../import/read.ts';
import type { ImportPorts } from '../import/run.ts';
import { channelsOf, connect, openTarget, stopOfCommand } from '../import/target.ts';
import { option } from '../settings/option-spec.ts';
import type { Settings } from '../settings/settings.ts';
import { NO_PROBLEMS } from '../source/problem-list.ts';
import { type Block, type Item, list, paragraph } from '../view/blocks.ts';
import { formatBytes, idsAndNames } from '../view/format.ts';
import { addressOfMail, sendMailTest } from './doctor-mail.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    shared('--base-url'),
    shared('--sandbox', { description: 'look at the local sandbox instead of a real helpdesk' }),
    SET,
    shared('--checkpoint', { group: 'What to read' }),
    option(
      'What to do',
      '--mail <address>',
      'create one ticket for your own address, to see whether the helpdesk mails customers',
    ),
  ],
  examples: [
    ['doctor', 'is everything ready?'],
    ['doctor export/', 'the files of the export too'],
    ['doctor --mail you@example.com', 'then look into your mailbox'],
  ],
  run: doctorCommand,
};

interface Check {
  readonly name: string;
  /** `failed`: an import would stop here. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly hint?: string | undefined;
  readonly lines?: readonly string[] | undefined;
  readonly exitCode?: number | undefined;
}

function fine(name: string, message: string): Check {
  return { name, status: 'ok', message };
}

function warning(name: string, message: string, hint: string, lines?: readonly string[]): Check {
  return { name, status: 'warning', message, hint, lines };
}

function failed(name: string, { message, hint, lines, code }: AppError): Check {
  return { name, status: 'failed', message, hint, lines, exitCode: ERROR_CODES[code] };
}

async function doctorCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const mail = addressOfMail(flags['mail']);
  if (mail !== undefined) return await sendMailTest(mail, flags, context);
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const ports = { ...portsOf(context, stop), emit: () => undefined };
  let checks: Check[];
  try {
    checks = await checkAll(await loadSettings(files, flags, [], context), ports);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'configuration') throw error;
    checks = [failed('settings', error)];
  }
  const codes = new Set(checks.map(({ exitCode }) => exitCode));
  // Without settings nothing else means much.
  const exitCode = [2, 5, 6].find((code) => codes.has(code)) ?? 0;
  answer(context, flags, { version: 1, ok: exitCode === 0, checks, exitCode }, checkBlocks(checks));
  return exitCode;
}

async function checkAll({ settings, file, warnings }: LoadedSettings, ports: ImportPorts): Promise<Check[]> {
  const { checkpoint } = settings.output;
  const read = file === undefined ? 'No settings file (optional).' : `${file} is valid.`;
  const checks = [
    warnings.length === 0 ? fine('settings', read) : warning('settings', read, 'See the remarks.', warnings),
    ...(await checkStorage(nearestFolder(checkpoint))),
  ];
  const key = await checkHelpdesk(settings, ports, checks);
  checks.push(checkCheckpoint(checkpoint, key), ...(await checkExport(settings, ports)));
  return checks;
}

/** Adds its checks, also those before a failure. Resolves with the helpdesk's key. */
async function checkHelpdesk(
  settings: Settings,
  ports: ImportPorts,
  checks: Check[],
): Promise<string | undefined> {
  const { sandbox, people } = settings;
  // A missing sandbox is not made.
  if (sandbox !== undefined && !existsSync(sandbox)) {
    const message = `There is no sandbox in ${sandbox} yet: the first run with --sandbox creates it.`;
    checks.push(fine('target', message));
    return undefined;
  }
  const add = (check: Check) => void checks.push(check);
  const { soft: signal } = ports;
  try {
    await using address = await openTarget(settings);
    const { baseUrl, apiPath, key } = address;
    await using api = connect(address, settings.run, ports);
    const { name } = await api.greet(signal);
    add(fine('target', `${baseUrl}${apiPath} answers${name === undefined ? '' : ` as ${name}`}.`));
    const unencrypted = parseBaseUrl(baseUrl).warning;
    if (unencrypted !== undefined) add(warning('encryption', unencrypted, 'Use https.'));
    const reply = await api.probe(signal);
    const page = reply.type === 'answer' && reply.status === 200 ? pageOf(reply, 'tickets', true) : undefined;
    const [first] = page?.items ?? [];
    if (page === undefined)
      add(
        warning(
          'reading',
          `Tickets cannot be listed (${reply.type === 'answer' ? reply.status : 'no answer'}).`,
          'Check the base URL, and the scope read:tickets of the token. If both are right, an import works without: doubts are held for you, and verify does not work.',
        ),
      );
    else {
      if (first !== undefined)
        await Promise.all([api.readTicket(first.id, signal), api.readMessages(first.id, signal)]);
      add(fine('token', 'It may read (read:tickets). To see whether it may write, run with --trial.'));
    }
    const { channelId } = settings.target;
    checks.push(
      ...checkNames('channel', await channelsOf(api, signal), channelId === undefined ? [] : [channelId]),
    );
    const ids = [...Object.values(await listedAgents(people, signal)), people.fallbackAgent ?? []].flat();
    checks.push(...checkNames('agent', (await api.agents(signal)) ?? [], ids));
    return key;
  } catch (thrown) {
    signal.throwIfAborted();
    const error = stopOfCommand(thrown);
    if (!(error instanceof AppError)) throw error;
    const isRead = thrown instanceof ApiFailure && checks.some(({ name }) => name === 'target');
    if (isRead) add(warning('reading', error.message, 'An import works without. Verify does not work here.'));
    else add(failed(error.code === 'auth' ? 'token' : 'target', error));
    return undefined;
  }
}

const MOST_NAMED = 20;

/** `ids`: of the settings. */
function checkNames(what: 'channel' | 'agent', listed: readonly Snapshot[], ids: readonly string[]): Check[] {
  if (listed.length === 0) return [];
  const has = `The helpdesk has ${countOf(listed.length, what)}: ${idsAndNames(listed.slice(0, MOST_NAMED), listed.length)}.`;
  const unknown = [...new Set(ids)].filter((id) => !listed.some((one) => one.id === id));
  if (unknown.length === 0) return [fine(what === 'agent' ? 'agents' : what, has)];
  const message = `The settings name ${unknown.slice(0, MOST_NAMED).join(', ')}, which the helpdesk does not list.`;
  return what === 'channel'
    ? [failed(what, new AppError('configuration', message, { hint: `Correct target.channelId. ${has}` }))]
    : [warning('agents', message, `Correct agents and fallbackAgent. ${has}`)];
}

async function checkExport(settings: Settings, ports: ImportPorts): Promise<Check[]> {
  if (settings.source.files.length === 0) return [];
  try {
    await using source = await readExport({ settings, ports, problems: NO_PROBLEMS });
    const { files } = source.files;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const size = `${countOf(files.length, 'file')}, ${formatBytes(bytes)}`;
    return [fine('export', `${size}: the layout is ${source.detection.layout.name}.`)];
  } catch (error) {
    if (error instanceof AppError && error.exitCode === 2) return [failed('export', error)];
    throw error;
  }
}

/** Types of network file systems in `statfs`: NFS, SMB, CIFS, SMB2, 9P, FUSE, Ceph, Lustre. */
const SHARED = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400, 0x0bd00bd0];

async function checkStorage(folder: string): Promise<Check[]> {
  const { type = 0, bavail = 0, bsize = 0 } = (await statfs(folder).catch(() => undefined)) ?? {};
  // A signed number on some systems.
  if (!SHARED.includes(type >>> 0))
    return [fine('disk', `${formatBytes(bavail * bsize)} free for the checkpoint, in ${folder}.`)];
  const message = `The checkpoint would be on a network file system, in ${folder}: its locks and order of writes are not reliable.`;
  return [
    warning(
      'disk',
      message,
      'Name a file on a local disk with --checkpoint, and copy it with: `helpdesk-import checkpoint backup`',
    ),
  ];
}

export function checkCheckpoint(path: string, target: string | undefined): Check {
  const name = 'checkpoint';
  if (!isFileThere(path))
    return fine(name, `There is no checkpoint at ${path} yet: the first run creates it.`);
  try {
    using reader = readCheckpoint(path, target);
    const writer = reader.writer();
    const { known, inDoubt } = knownCounts(reader, writer !== undefined);
    const holds = `${path}: ${formatBytes(statSync(path).size)}, ${countOf(known, 'ticket')}`;
    if (writer !== undefined)
      return warning(
        name,
        `${holds}; ${writer.pid === undefined ? 'a process' : `process ${writer.pid}`} writes to it.`,
        'Wait until that run has ended: two runs never share a checkpoint.',
      );
    return inDoubt > 0
      ? warning(name, `${holds}, ${inDoubt} of them in doubt.`, 'Settle them: `helpdesk-import resolve`')
      : fine(name, `${holds}.`);
  } catch (error) {
    if (error instanceof AppError) return failed(name, error);
    throw error;
  }
}

/** On the same disk as the future one. */
function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

const TONES = { ok: 'good', warning: 'warn', failed: 'bad' } as const;

function checkBlocks(checks: readonly Check[]): Block[] {
  const items = checks.map(
    ({ name, status, message, hint, lines = [] }): Item => ({
      lead: name === 'target' ? 'helpdesk' : name,
      text: message,
      tone: TONES[status],
      below: [
        ...lines.flatMap((line) => line.split('\n')).map((line) => paragraph(line, { look: 'verbatim' })),
        ...(hint === undefined ? [] : [paragraph(hint, { look: 'advice' })]),
      ],
    }),
  );
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length;
  const [bad, remarks] = [count('failed'), count('warning')];
  const [verdict, tone] =
    bad > 0
      ? ([`An import would stop: ${bad} of ${checks.length} checks failed.`, 'bad'] as const)
      : remarks > 0
        ? ([`Ready to import, with ${countOf(remarks, 'warning')}.`, 'warn'] as const)
        : (['Everything is ready: an import can start.', 'good'] as const);
  return [list('checks', items), paragraph(verdict, { tone })];
}
