/**
 * `helpdesk-import report`: the HTML report of one checkpoint or several. With the files of the export it shows what is
 * in them too; without it, the checkpoint's facts alone. Sends nothing and changes no checkpoint.
 */
import { realpathSync } from 'node:fs';
import { type CommandSpec, EXPORT_OPTIONS, FILES, shared, WHICH_CHECKPOINT } from '../../cli/command.ts';
import { type CliContext, type Flags, listenForStop, READ_ONLY } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { print } from '../../cli/screen.ts';
import { AppError } from '../../domain/errors.ts';
import { option } from '../../settings/option-spec.ts';
import { REPORT_FILE } from '../../settings/table/run.ts';
import { version } from '../../version.ts';
import { paragraph } from '../../view/blocks.ts';
import { formatBytes } from '../../view/format.ts';
import { checkpointPaths, withReaders } from '../checkpoint-view.ts';
import { reportOfCheckpoints, surveyForReport } from './report-data.ts';
import { requireReportPath, writeReport } from './run-report.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    shared('--checkpoint', {
      description:
        'the SQLite checkpoint; may be given more than once: the checkpoints of all shards make the whole',
      group: 'What to read',
      repeat: true,
    }),
    ...WHICH_CHECKPOINT.filter(({ flags }) => !flags.startsWith('--checkpoint')),
    ...EXPORT_OPTIONS,
    option('What is written', '-o, --output <file>', 'the HTML file to write', { byDefault: REPORT_FILE }),
    shared('--force'),
    shared('--redact', {
      description: 'hide personal data: addresses, names, subjects, messages, quoted values',
      advanced: undefined,
    }),
  ],
  examples: [
    ['report export/', 'write helpdesk-import.report.html'],
    ['report export/ --redact', 'without names, addresses and texts'],
  ],
  run: reportCommand,
};

async function reportCommand(named: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { clock, stdin, stderr, cwd, commands } = context;
  // `status` takes checkpoints as they are, so this does too; no export is a SQLite file.
  const files = named.filter((file) => !isCheckpointName(file));
  const { checkpoint: _, sandbox: __, output = REPORT_FILE, ...reading } = flags;
  const path = String(output);
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const paths = await pathsOf(named.filter(isCheckpointName), flags, context);
  requireReportPath(path, flags['force'] === true);
  return await withReaders(paths, async (readers) => {
    // Nothing is sent, so neither a target nor a token is asked for, and no fault in them may be in the way.
    const env = Object.fromEntries(
      Object.entries(context.env).filter(([name]) => !name.startsWith('HELPDESK_')),
    );
    const quiet = { ...context, env };
    const { settings, folder } = await loadSettings(files, { ...reading, dryRun: true }, [], quiet);
    const ports = { clock, stdin, soft: stop.soft, settingsFolder: folder };
    const surveyed = files.length === 0 ? undefined : await surveyForReport(settings, readers, ports);
    const isNamed = named.some(isCheckpointName) || readers.length > 1;
    const asked = { commands, folder: cwd, isNamed };
    const parts = { settings, version: version(), now: clock.now() };
    const data = reportOfCheckpoints(readers, surveyed, asked, parts);
    const bytes = await writeReport(path, data, flags['redact'] === true);
    print([paragraph(`The report is in ${path} (${formatBytes(bytes)}).`)], context, stderr);
    return 0;
  });
}

function isCheckpointName(file: string): boolean {
  return /\.(?:sqlite3?|db)$/i.test(file);
}

/** Those among the files and those of `--checkpoint`, each once; else the one that a run would use. */
async function pathsOf(
  given: readonly string[],
  { checkpoint = [], ...others }: Flags,
  context: CliContext,
): Promise<readonly string[]> {
  const named = [...given, ...[checkpoint].flat().map(String)];
  const paths = named.length > 0 ? named : await checkpointPaths([], others, context);
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
