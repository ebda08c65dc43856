/**
 * `helpdesk-import report`: the HTML report of one checkpoint or several. With the files of the export it shows what is
 * in them too; without, what the checkpoint alone knows. Sends nothing and changes no checkpoint.
 */
import { realpathSync } from 'node:fs';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { REPORT_FILE } from '../../settings/table/run.ts';
import { version } from '../../version.ts';
import { formatBytes } from '../../view/format.ts';
import { createStyle } from '../../view/terminal/style.ts';
import { wrap } from '../../view/terminal/text-block.ts';
import { reportOfCheckpoints } from './report-data.ts';
import { surveyForReport } from './report-details.ts';
import { requireReportPath, writeReport } from './write-report.ts';

export async function reportCommand(
  named: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  // `status` takes checkpoints as they are, so this does too; no export is a SQLite file.
  const files = named.filter((file) => !isCheckpointName(file));
  const output = typeof flags['output'] === 'string' ? flags['output'] : REPORT_FILE;
  const style = createStyle({
    stream: context.stderr,
    env: context.env,
    commands: context.commands,
  });
  const say = (message: string) => context.stderr.write(`${wrap(message, style).join('\n')}\n`);
  using stop = listenForStop(context, () => undefined, READING);
  const paths = await pathsOf(named.filter(isCheckpointName), flags, context);
  requireReportPath(output, flags['force'] === true);
  const readers: CheckpointReader[] = [];
  try {
    for (const path of paths) {
      readers.push(readCheckpoint(path));
    }
    const [first, ...others] = readers;
    if (first === undefined) throw new AppError('internal', 'There is no checkpoint to report on.');
    const { checkpoint: _, sandbox: __, output: ___, ...reading } = flags;
    // Nothing is sent, so neither a target nor a token is asked for, and no fault in them may be in the way.
    const env = Object.fromEntries(
      Object.entries(context.env).filter(([name]) => !name.startsWith('HELPDESK_')),
    );
    const { settings, folder } = await loadSettings(files, { ...reading, dryRun: true }, [], {
      ...context,
      env,
    });
    const surveyed =
      files.length === 0
        ? undefined
        : await surveyForReport(settings, readers, {
            clock: context.clock,
            stdin: context.stdin,
            signal: stop.soft,
            folder,
          });
    const data = reportOfCheckpoints({
      readers: [first, ...others],
      surveyed,
      asked: {
        commands: context.commands,
        folder: context.cwd,
        isNamed: named.some(isCheckpointName) || readers.length > 1,
      },
      settings,
      version: version(),
      now: context.clock.now(),
    });
    const bytes = await writeReport(output, data, { redact: flags['redact'] === true });
    say(`The report is in ${output} (${formatBytes(bytes)}).`);
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

function isCheckpointName(file: string): boolean {
  return /\.(?:sqlite3?|db)$/i.test(file);
}

/** Those among the files and those of `--checkpoint`, each once; else the one that a run would use. */
async function pathsOf(
  given: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<readonly string[]> {
  const { checkpoint, ...others } = flags;
  const flagged = typeof checkpoint === 'string' ? [checkpoint] : Array.isArray(checkpoint) ? checkpoint : [];
  const named = [...given, ...flagged];
  const paths: readonly string[] =
    named.length > 0 ? named.map(String) : await checkpointPaths([], others, context);
  const real = paths.map((path) => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  });
  const twice = paths.find((_, index) => real.indexOf(real[index] ?? '') !== index);
  if (twice !== undefined)
    throw new AppError('usage', `The checkpoint ${twice} is named twice.`, { hint: 'Name each one once.' });
  return paths;
}
