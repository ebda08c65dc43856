/** `helpdesk-import doctor`: looks at everything an import needs. Ends with 0, or with 2, 5 or 6 as the import would. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type CommandSpec, FILES, JSON_RESULT, shared } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { type LoadedSettings, loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { listenForStop, portsOf, READ_ONLY } from '../cli/signals.ts';
import { AppError } from '../domain/errors.ts';
import type { ImportPorts } from '../import/import-job.ts';
import { listedAgents, openSource } from '../import/source.ts';
import { connect, openTarget, type TargetAddress } from '../import/target.ts';
import type { Settings } from '../settings/settings.ts';
import { parseBaseUrl } from '../target/address.ts';
import type { CoreApi } from '../target/api.ts';
import { type Block, type Item, list, paragraph } from '../view/blocks.ts';
import { countOf, formatBytes } from '../view/format.ts';
import {
  checkCheckpoint,
  checkDisk,
  checkStorage,
  type DoctorCheck,
  exitCodeOf,
  failed,
  fine,
  nearestFolder,
  warning,
} from './doctor-machine.ts';
import { checkTarget } from './doctor-target.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    shared('--sandbox', { description: 'look at the local sandbox service instead of a real one' }),
    shared('--config'),
    shared('--from'),
    shared('--checkpoint', { group: 'What to read' }),
    JSON_RESULT,
  ],
  examples: [
    ['doctor', 'is everything ready?'],
    ['doctor export/', 'the files of the export too'],
  ],
  run: doctorCommand,
};

async function doctorCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const ports = { ...portsOf(context, stop), emit: () => undefined, settingsFolder: context.cwd };
  let checks: DoctorCheck[];
  try {
    const loaded = await loadSettings(files, flags, [], context);
    checks = await checkAll(loaded, { ...ports, settingsFolder: loaded.folder });
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
  const export_ = await checkExport(settings, ports);
  const { checkpoint } = settings.output;
  const folder = nearestFolder(checkpoint);
  const target = await checkSettingsTarget(settings, ports);
  const read = file === undefined ? 'There is no settings file; none is needed.' : `${file} is valid.`;
  return [
    // What is unpacked and the rows of the plan are on disk at the same time.
    await checkDisk('temporary files', tmpdir(), export_.bytes * 2),
    await checkDisk('the checkpoint', folder, 0),
    ...(await checkStorage(folder)),
    warnings.length === 0 ? fine('settings', read) : warning('settings', read, 'See the remarks.', warnings),
    ...target.checks,
    checkCheckpoint(checkpoint, target.key),
    ...export_.checks,
  ];
}

async function checkSettingsTarget(
  settings: Settings,
  ports: ImportPorts,
): Promise<{ checks: DoctorCheck[]; key?: string }> {
  const { sandbox, people, target } = settings;
  // Looking changes nothing, so a missing sandbox is not made.
  if (sandbox !== undefined && !existsSync(sandbox)) {
    const message = `There is no sandbox in ${sandbox} yet: the first run with --sandbox creates it.`;
    return { checks: [fine('target', message)] };
  }
  let address: TargetAddress | undefined;
  let api: CoreApi | undefined;
  try {
    address = await openTarget(settings, ports.clock);
    const { baseUrl, apiPath, key } = address;
    const unencrypted = parseBaseUrl(baseUrl).warning;
    api = connect(address, settings, ports, undefined).api;
    const listed = Object.values(await listedAgents(people, ports.soft));
    const agentIds = [...listed, ...[people.fallbackAgent ?? []].flat()];
    const { channelId } = target;
    const checks = await checkTarget(api, { baseUrl, apiPath, channelId, agentIds }, ports);
    if (unencrypted !== undefined) checks.push(warning('encryption', unencrypted, 'Use https.'));
    return { checks, key };
  } catch (error) {
    if (!(error instanceof AppError) || error.exitCode !== 2) throw error;
    return { checks: [failedBy('target', error)] };
  } finally {
    await api?.close();
    await address?.sandbox?.close();
  }
}

/** With the size of the files once they are unpacked, bytes. */
async function checkExport(
  settings: Settings,
  ports: ImportPorts,
): Promise<{ checks: readonly DoctorCheck[]; bytes: number }> {
  if (settings.source.files.length === 0) return { checks: [], bytes: 0 };
  try {
    await using source = await openSource(settings, {
      ...ports,
      problem: () => undefined,
    });
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
      lead: name,
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
