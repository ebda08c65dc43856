/** `helpdesk-import init`: looks at an export, asks what it cannot know, and writes commented settings. */

import { writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type CommandSpec, NEEDED_FILES, shared } from '../../cli/command.ts';
import { type CliContext, type Flags, listenForStop, READ_ONLY } from '../../cli/context.ts';
import { requireOutput } from '../../cli/output-file.ts';
import { print } from '../../cli/screen.ts';
import type { Finding } from '../../discover/findings.ts';
import { inspectExport } from '../../discover/inspection.ts';
import type { Needs, ProposedSettings } from '../../discover/propose-settings.ts';
import { openPaths } from '../../discover/questions.ts';
import { settingsText } from '../../discover/settings-text.ts';
import { AppError } from '../../domain/errors.ts';
import { mappingSchema } from '../../mapping/language/layout.ts';
import { option } from '../../settings/option-spec.ts';
import { SETTINGS_FILE, settingsJsonSchema } from '../../settings/table/table.ts';
import { type Block, blocks, type Fact, facts, heading, list, paragraph } from '../../view/blocks.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { countOf } from '../../view/format.ts';
import { openFiles, textFlag } from '../inspect.ts';
import { type Ask, askOnTerminal, Interview } from './interview.ts';
import type { FoundMapping } from './survey.ts';

export const command: CommandSpec = {
  arguments: [NEEDED_FILES],
  options: [
    option('What to do', '--propose', 'propose a new mapping even if the layout is known'),
    shared('--yes', { description: 'ask nothing: what only you can know is marked TODO' }),
    shared('--from'),
    shared('--encoding'),
    shared('--delimiter'),
    option(
      'What is written',
      '-o, --output <file>',
      'the settings file to write; a JSON schema for editors is written next to it',
      { byDefault: SETTINGS_FILE },
    ),
    shared('--force', { description: 'replace an existing settings file' }),
  ],
  examples: [
    ['init export/', 'propose a mapping and ask what only you know'],
    ['init export/ --yes', 'ask nothing: what only you know is marked TODO'],
    ['init export/ -o acme.yaml', 'write it to another file'],
  ],
  run: (files, flags, context) => initCommand(files, flags, context),
};

/** `ask` replaces the terminal in tests. */
export async function initCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
  ask?: Ask,
): Promise<number> {
  const { cwd, stdin, stderr, clock } = context;
  const name = textFlag(flags, 'output') ?? SETTINGS_FILE;
  const path = name === '-' ? name : resolve(cwd, name);
  const force = flags['force'] === true;
  refuseToReplace(path, name, force);
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const signal = stop.soft;
  const say = (blocks: readonly Block[]) => {
    if (blocks.length > 0) stderr.write('\n');
    print(blocks, context, stderr);
  };
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  const mayAsk = flags['yes'] !== true && !files.includes('-');
  const asking = mayAsk
    ? (ask ?? (isTerminal ? askOnTerminal(stdin, stderr, signal) : undefined))
    : undefined;

  await using opened = await openFiles(files, flags, context, signal);
  using inspection = await inspectExport(opened, { from: textFlag(flags, 'from'), signal });
  const interview = new Interview({
    inspection,
    opened,
    flags,
    files: files.map((file) => inFile(file, cwd, dirname(path))),
    folder: cwd,
    signal,
    now: new Date(clock.now()),
  });
  const first = await interview.next();
  say(foundBlocks(first.found, first.surveyed?.needs));
  if (asking !== undefined)
    await interview.askAll(asking, ({ conversations, findings }) =>
      say([
        ...conversations.map((ticket): Block => ({ kind: 'conversation', ticket })),
        ...findingBlocks(findings),
      ]),
    );
  const { found, proposed, surveyed } = await interview.settled();
  if (asking === undefined) say(findingBlocks(surveyed.findings));
  const text = settingsText({ proposed, schema: SCHEMA_FILE, about: about(found, files) });
  signal.throwIfAborted();
  await writeSettings(path, name, text, force);
  say(writtenBlocks(name, proposed));
  return 0;
}

/** Files in the settings are relative to the settings' own folder. */
export function inFile(file: string, cwd: string, folder: string): string {
  if (file === '-' || isAbsolute(file)) return file;
  const path = relative(folder, resolve(cwd, file)).replaceAll('\\', '/');
  return path === '' ? '.' : path;
}

function about({ detection, proposal }: FoundMapping, files: readonly string[]): string[] {
  const { name, title } = detection.layout;
  const what =
    proposal === undefined
      ? `The export has the layout ${name}: ${title}.`
      : 'The layout is not known: this mapping is a proposal. Read it and correct what is wrong.';
  return [`Settings of helpdesk-import for ${files.join(', ')}`, what];
}

const FIELDS = [
  'subject',
  'requester',
  'status',
  'priority',
  'tags',
  'assignee',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'messages',
] as const;
/** Fields whose absence is worth a word. */
const WANTED: ReadonlySet<string> = new Set(['requester', 'status', 'createdAt', 'messages']);

function foundBlocks({ detection, proposal }: FoundMapping, needs: Needs | undefined): Block[] {
  const { layout, tables, confidence } = detection;
  const counts = needs && [
    countOf(needs.tickets, 'ticket'),
    countOf(needs.messages, 'message'),
    countOf(needs.events, 'event'),
  ];
  const fields = FIELDS.map((label): Fact | false => {
    const from = proposal?.found.get(label);
    if (from !== undefined) return { label, value: `from ${from.join(', ')}` };
    return proposal !== undefined && WANTED.has(label) && { label, value: 'not found', tone: 'warn' };
  });
  return [
    heading(
      proposal === undefined
        ? `Layout ${layout.name} (${layout.title}), ${Math.round(confidence * 100)}% sure`
        : 'No known layout: a mapping by the names of the columns',
    ),
    facts([
      ...tables.map(({ name, files }) => ({
        label: name,
        value: files.length <= 3 ? files.join(', ') : `${files.length} files`,
      })),
      counts && { label: 'found', value: counts.join(', ') },
      ...fields,
    ]),
  ];
}

function findingBlocks(findings: readonly Finding[]): Block[] {
  if (findings.length === 0) return [];
  const items = findings.map(({ message, setting, ticket }) => ({
    text: message,
    below: [
      paragraph(`${setting}${ticket === undefined ? '' : `, for example ticket ${ticket}`}`, {
        look: 'advice',
      }),
    ],
  }));
  return [heading('Check these'), list('bullets', items)];
}

/** Open values that are named. */
const MOST_NAMED = 12;

function writtenBlocks(name: string, { settings }: ProposedSettings): Block[] {
  const open = openPaths(settings).map((path) => path.join('.'));
  const command = `helpdesk-import run${name === SETTINGS_FILE ? '' : ` -c ${quoteArgument(name)}`} --dry-run`;
  const decide = `Decide what is marked TODO (${countOf(open.length, 'value')}), as only you can know it. A run stops until then:`;
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

const SCHEMA_FILE = 'helpdesk-import.schema.json';

/** Settings are edited by hand once they are written, so they are never replaced unasked. Throws AppError `usage`. */
function refuseToReplace(path: string, name: string, force: boolean): void {
  requireOutput({ path, name: `The settings file ${name}`, isOurs: () => false, force });
}

/** Throws AppError `disk-write` where a file cannot be written, `usage` where it has appeared in the meantime. */
export async function writeSettings(path: string, name: string, text: string, force: boolean): Promise<void> {
  refuseToReplace(path, name, force);
  write(path, name, text);
  writeSchema(join(dirname(path), SCHEMA_FILE), force);
}

/** The schema is the program's own: one of another version is replaced. */
function writeSchema(path: string, force: boolean): void {
  const schema = settingsJsonSchema(mappingSchema);
  const title = `"title": ${JSON.stringify(schema['title'])}`;
  requireOutput({ path, name: basename(path), isOurs: (head) => head.includes(title), force });
  write(path, basename(path), `${JSON.stringify(schema, null, 2)}\n`);
}

function write(path: string, name: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new AppError('disk-write', `${name} cannot be written (${code}).`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause,
    });
  }
}
