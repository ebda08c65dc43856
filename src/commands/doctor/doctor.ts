/** Everything that can keep an import from going well, looked at before it: the machine, the settings, the target, the export. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { AppError } from '../../domain/errors.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { listedAgents } from '../../import/source.ts';
import { connect, openTarget, type TargetAddress } from '../../import/target.ts';
import type { Settings } from '../../settings/settings.ts';
import { parseBaseUrl } from '../../target/address.ts';
import type { CoreApi } from '../../target/api.ts';
import { checkExport } from './doctor-export.ts';
import { checkCheckpoint, checkSpace, checkStorage, folderOf, nearestFolder } from './doctor-machine.ts';
import { checkTarget } from './doctor-target.ts';
import { type DoctorCheck, failed, fine, warning } from './doctor-view.ts';

export interface DoctorInputs {
  /** Without them only the machine is looked at. */
  readonly settings: Settings | undefined;
  /** What is wrong with the settings, where they cannot be had. */
  readonly settingsCheck: DoctorCheck;
  readonly withAttachments: boolean;
}

export async function examineSetup(inputs: DoctorInputs, ports: ImportPorts): Promise<DoctorCheck[]> {
  const { settings, settingsCheck } = inputs;
  if (settings === undefined) return [await checkSpace('temporary files', tmpdir(), 0), settingsCheck];

  const exported =
    settings.source.files.length === 0
      ? { checks: [], bytes: 0 }
      : await checkExport(settings, inputs.withAttachments, ports);
  const path = settings.output.checkpoint;
  const folder = settings.sandbox === undefined ? folderOf(path) : nearestFolder(path);
  const storage = await checkStorage(folder);
  const target = await examineTarget(settings, ports);
  return [
    // Joined rows stand on disk beside what is unpacked.
    await checkSpace('temporary files', tmpdir(), exported.bytes * 2),
    await checkSpace('the checkpoint', folder, 0),
    ...(storage === undefined ? [] : [storage]),
    settingsCheck,
    ...target.checks,
    checkCheckpoint(path, target.key),
    ...exported.checks,
  ];
}

async function examineTarget(
  settings: Settings,
  ports: ImportPorts,
): Promise<{ checks: DoctorCheck[]; key?: string }> {
  // Looking changes nothing: a sandbox that is not there yet is not made.
  if (settings.sandbox !== undefined && !existsSync(settings.sandbox))
    return {
      checks: [
        fine(
          'target',
          `There is no sandbox in ${settings.sandbox} yet: the first run with --sandbox creates it.`,
        ),
      ],
    };
  let address: TargetAddress | undefined;
  let api: CoreApi | undefined;
  try {
    address = await openTarget(settings, ports.clock);
    const { baseUrl, apiPath, key } = address;
    const unencrypted = parseBaseUrl(baseUrl).warning;
    api = connect(address, settings, ports, undefined).api;
    const { fallbackAgent } = settings.people;
    const listed = Object.values(await listedAgents(settings.people, ports.soft));
    const agentIds = fallbackAgent === undefined ? listed : [...listed, fallbackAgent];
    const checks = await checkTarget(
      api,
      { baseUrl, apiPath, channelId: settings.target.channelId, agentIds },
      ports.clock,
      ports.soft,
    );
    if (unencrypted !== undefined) checks.push(warning('encryption', unencrypted, 'Use https.'));
    return { checks, key };
  } catch (error) {
    if (!(error instanceof AppError) || error.exitCode !== 2) throw error;
    return { checks: [failed('target', 2, error.message, error.hint, { lines: error.lines })] };
  } finally {
    await api?.close();
    await address?.sandbox?.close();
  }
}

/** The settings were read; `file` is where from, if there is one. */
export function settingsFine(file: string | undefined, warnings: readonly string[]): DoctorCheck {
  const message = file === undefined ? 'There is no settings file; none is needed.' : `${file} is valid.`;
  return warnings.length === 0
    ? fine('settings', message)
    : warning('settings', message, 'See the remarks.', { lines: warnings });
}
