import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type CommandSpec, NEEDED_FILES, shared } from '../../cli/command.ts';
import {
  type CliContext,
  type Flags,
  listenForStop,
  portsOf,
  READ_ONLY,
  type StopSignals,
  textFlag,
} from '../../cli/context.ts';
import { headOf, requireOutput } from '../../cli/output-file.ts';
import { type Ask, answer, askOnTerminal, print } from '../../cli/screen.ts';
import { inspectExport } from '../../discover/inspection.ts';
import type { ProposedSettings } from '../../discover/settings-of.ts';
import { AppError, diskFailure } from '../../domain/errors.ts';
import { countOf, printable } from '../../domain/printable.ts';
import { openPaths, TODO } from '../../domain/source-file.ts';
import type { Snapshot } from '../../domain/ticket-api.ts';
import { mappingSchema } from '../../mapping/language/layout.ts';
import { option } from '../../settings/option-spec.ts';
import { resolveSettings } from '../../settings/resolve-settings.ts';
import { INIT_LINE, SCHEMA_FILE, SETTINGS_FILE, settingsJsonSchema } from '../../settings/table/table.ts';
import { readYaml } from '../../settings/yaml-text.ts';
import type { StagedExport } from '../../source/open-export.ts';
import type { Reading } from '../../source/stage-csv.ts';
import { type Block, blocks, heading, list, paragraph } from '../../view/blocks.ts';
import { type CommandLines, quoteArgument } from '../../view/command-line.ts';
import { openFiles } from '../inspect.ts';
import { Editor, type View } from './editor.ts';
import { tableBlocks, tableJson } from './table.ts';
import { editTable } from './terminal.ts';

export const command: CommandSpec = {
  arguments: [NEEDED_FILES],
  options: [
    option(
      'What to do',
      '--set <field=column>',
      "set a field of the table: FIELD=COLUMN, FIELD=FILE:COLUMN, FIELD='fixed', FIELD= for nothing, FIELD:WORD=MEANING",
      { repeat: true },
    ),
    shared('--yes', { description: 'ask nothing: what only you can know is marked TODO' }),
    shared('--from'),
    option(
      'What is written',
      '-o, --output <file>',
      'the settings file to write; a JSON schema for editors is written next to it',
      { byDefault: SETTINGS_FILE },
    ),
    option('What is written', '--force', 'replace an existing settings file'),
  ],
  examples: [
    ['init export/', 'show the table of fields, change it, save it'],
    ['init export/ --set ticket.subject=Title', 'the same without a terminal'],
    ['init export/ --json', 'the table for a program'],
  ],
  help: () => 'With --json the table is printed, and nothing is written.',
  without: ['--config'],
  run: (files, flags, context) => initCommand(files, flags, context),
};

/** `ask` replaces the terminal in tests. */
export async function initCommand(
  files: readonly string[],
  given: Flags,
  context: CliContext,
  ask?: Ask,
): Promise<number> {
  const { cwd, stdin, stderr } = context;
  const name = textFlag(given, 'output') ?? SETTINGS_FILE;
  const path = name === '-' ? name : resolve(cwd, name);
  const changes = [given['set'] ?? []].flat().map(String);
  const [force, isJson] = [given['force'] === true, given['json'] === true];
  const isTerminal = ask !== undefined || (stdin.isTTY === true && stderr.isTTY === true);
  const mayAsk =
    isTerminal && given['yes'] !== true && !files.includes('-') && !isJson && changes.every(saysHowToRead);
  const before = force || isJson ? undefined : ownSettings(path);
  if (!isJson && before === undefined) refuseToReplace(path, name, force);
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const signal = stop.soft;
  const { source } = resolveSettings({
    flags: { set: [...readingIn(before), ...changes.filter(saysHowToRead)] },
    env: {},
    files,
  }).settings;
  const { opened, guessed } = await openAny(files, source, context, signal);
  const flags: Flags = { ...given, encoding: source.encoding, delimiter: source.delimiter };
  await using _ = opened;
  using inspection = await inspectExport(opened, { from: textFlag(flags, 'from'), signal });
  const editor = new Editor({
    ...{ inspection, opened, flags, guessed, signal },
    files: files.map((file) => inFile(file, cwd, dirname(path))),
    team: await teamOf(files, context, stop),
  });
  if (before !== undefined) await editor.resume(before);
  for (const change of changes) editor.change(change);
  if (isJson) {
    answer(context, flags, tableJson(await editor.view(), editor.tables), []);
    return 0;
  }
  const say = (blocks: readonly Block[]) => {
    if (blocks.length > 0) stderr.write('\n');
    print(blocks, context, stderr);
  };
  if (mayAsk) {
    using terminal = ask === undefined ? askOnTerminal(context, signal) : undefined;
    if (!(await editTable(editor, ask ?? (terminal as Ask), say, stderr.rows))) {
      const more = editor.typed.map((text) => `--set ${quoteArgument(text)}`);
      const command = context.commands.again({ without: ['--set'], more });
      say([{ kind: 'command', text: 'Nothing is written. Your changes again:', command }]);
      return 130;
    }
  }
  const view = await editor.view();
  if (!mayAsk) say(tableBlocks(view, editor.tables));
  if (before !== undefined && !mayAsk && changes.length === 0) {
    // Without a terminal no one can be asked.
    say([
      paragraph(`${name} stays as it is. In a terminal init asks; elsewhere name each change with --set.`),
    ]);
    return 0;
  }
  const text = editor.text(view, SCHEMA_FILE, about(view, files));
  signal.throwIfAborted();
  writeSettings(path, name, text, force || before !== undefined);
  say(writtenBlocks(name, view.settings, context.commands));
  return 0;
}

/** Agents of the helpdesk; empty without its address and a token. */
async function teamOf(
  files: readonly string[],
  context: CliContext,
  stop: StopSignals,
): Promise<readonly Snapshot[]> {
  const { HELPDESK_TOKEN: token, HELPDESK_TOKEN_FILE: file } = context.env;
  if ((token ?? file) === undefined || context.env['HELPDESK_BASE_URL'] === undefined) return [];
  const { settings } = resolveSettings({ flags: {}, env: context.env, files });
  const { openTarget } = await import('../../import/target.ts');
  const { HelpdeskLook } = await import('../../import/look.ts');
  const ports = { ...portsOf(context, stop), emit: () => undefined };
  await using address = await openTarget(settings);
  await using look = new HelpdeskLook(address, settings.run, ports);
  return await look.team();
}

function ownSettings(path: string): string | undefined {
  const isOwn = headOf(path)?.startsWith(`# ${INIT_LINE}`);
  return isOwn === true ? readFileSync(path, 'utf8') : undefined;
}

/** Such a change leaves the table to be asked. */
const saysHowToRead = (change: string) => /^source\.(?:encoding|delimiter|skipLines|header)=/.test(change);

/** How the files of these settings are read. */
function readingIn(settings: string | undefined): string[] {
  const { source } = (readYaml(settings ?? '', SETTINGS_FILE).value ?? {}) as Readonly<
    Record<string, unknown>
  >;
  return ['encoding', 'delimiter', 'skipLines', 'header'].flatMap((name) => {
    const value = (source as Readonly<Record<string, unknown>> | undefined)?.[name];
    const text = Array.isArray(value) ? JSON.stringify(value) : value;
    return value === undefined || value === TODO ? [] : [`source.${name}=${text}`];
  });
}

/** In the encoding that files which are not UTF-8 seem to have. */
export async function openAny(
  files: readonly string[],
  reading: Reading,
  context: CliContext,
  signal: AbortSignal,
): Promise<{ readonly opened: StagedExport; readonly guessed?: string }> {
  try {
    return { opened: await openFiles(files, reading, context, signal) };
  } catch (error) {
    const likely = error instanceof AppError ? /source\.encoding=([\w-]+)/.exec(error.hint ?? '') : null;
    const guessed = reading.encoding === undefined && !files.includes('-') ? likely?.[1] : undefined;
    if (guessed === undefined) throw error;
    return { opened: await openFiles(files, { ...reading, encoding: guessed }, context, signal), guessed };
  }
}

/** Relative to the settings' folder. */
export function inFile(file: string, cwd: string, folder: string): string {
  if (file === '-' || isAbsolute(file)) return file;
  const path = relative(folder, resolve(cwd, file)).replaceAll(sep, '/');
  // Alone these mean standard input and an open decision.
  return path === '-' || path === TODO ? `./${path}` : path || '.';
}

function about({ fields, detection }: View, files: readonly string[]): string[] {
  const { name, title } = detection.layout;
  const what =
    fields === undefined
      ? `The export has the layout ${name}: ${title}.`
      : 'Unknown layout: the mapping says which column each field comes from.';
  return [`Settings of helpdesk-import for ${files.join(', ')}`, what];
}

const MOST_NAMED = 12;

function writtenBlocks(name: string, { settings }: ProposedSettings, commands: CommandLines): Block[] {
  const open = openPaths(settings).map((path) => printable(path.join('.')));
  const which = name === SETTINGS_FILE ? [] : ['-c', quoteArgument(name)];
  const command = commands.about('run', { more: [...which, '--dry-run'] });
  const decide = `${countOf(open.length, 'value is', 'values are')} missing, which only you know. The import waits; replace each TODO:`;
  const named = open.slice(0, MOST_NAMED);
  return blocks(
    heading(`${name} is written.`, { level: 1, tone: 'good' }),
    open.length > 0 && [
      paragraph(decide, { tone: 'warn' }),
      list('bullets', named, { more: open.length - named.length }),
    ],
    { kind: 'command', text: 'Then check it; nothing is sent:', command },
  );
}

/** Settings are edited by hand, so they are never replaced unasked. Throws AppError `usage`. */
function refuseToReplace(path: string, name: string, force: boolean): void {
  requireOutput({ path, name: `The settings file ${name}`, isOurs: () => false, force });
}

let schema: ReturnType<typeof settingsJsonSchema> | undefined;

function writeSettings(path: string, name: string, text: string, force: boolean): void {
  schema ??= settingsJsonSchema(mappingSchema);
  const title = `"title": ${JSON.stringify(schema['title'])}`;
  const place = join(dirname(path), SCHEMA_FILE);
  refuseToReplace(path, name, force);
  try {
    writeFileSync(path, text);
    requireOutput({ path: place, name: SCHEMA_FILE, isOurs: (head) => head.includes(title), force });
    writeFileSync(place, `${JSON.stringify(schema, null, 2)}\n`);
  } catch (cause) {
    const hint = 'Check the folder, its permissions and the space on the disk.';
    throw diskFailure(cause, `${name} cannot be written`, hint);
  }
}
