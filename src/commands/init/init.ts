/** `helpdesk-import init`: looks at an export, asks what it cannot know, and writes commented settings. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { CliContext, Flags } from '../../cli/context.ts';
import type { Finding } from '../../discover/finding.ts';
import { inspectExport } from '../../discover/inspection.ts';
import type { Needs } from '../../discover/needs.ts';
import type { ProposedSettings } from '../../discover/propose-settings.ts';
import { openPaths } from '../../discover/questions.ts';
import { settingsText } from '../../discover/settings-text.ts';
import { builtinLayouts } from '../../mapping/platforms/builtin-layouts.ts';
import { SETTINGS_FILE } from '../../settings/table/table.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { countOf } from '../../view/format.ts';
import { blockLines } from '../../view/terminal/blocks.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { type Fact, factLines, heading, wrap } from '../../view/terminal/text-block.ts';
import { openFiles, stoppable, textFlag } from '../inspect/open-files.ts';
import { type Ask, askOnTerminal } from './ask-terminal.ts';
import type { FoundMapping } from './choose-mapping.ts';
import { Interview } from './interview.ts';
import { refuseToReplace, SCHEMA_FILE, writeSettings } from './write-settings.ts';

/** `ask` stands in for the terminal in tests. */
export async function initCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
  ask?: Ask,
): Promise<number> {
  const { cwd, stdin, stderr, env, commands, clock } = context;
  const name = textFlag(flags, 'output') ?? SETTINGS_FILE;
  const path = resolve(cwd, name);
  const force = flags['force'] === true;
  refuseToReplace(path, name, force);
  using stop = stoppable(context);
  const { signal } = stop;
  const style = createStyle({ stream: stderr, env, commands });
  const say = (lines: readonly string[]) => stderr.write(`${lines.join('\n')}\n`);
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  const mayAsk = flags['yes'] !== true && !files.includes('-');
  const asking = mayAsk
    ? (ask ?? (isTerminal ? askOnTerminal(stdin, stderr, signal) : undefined))
    : undefined;

  await using opened = await openFiles(files, flags, context, signal);
  using inspection = await inspectExport(opened, builtinLayouts(), { from: textFlag(flags, 'from'), signal });
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
  say(foundLines(first.found, first.surveyed?.needs, style));
  if (asking !== undefined)
    await interview.askAll(asking, ({ conversations, findings }) =>
      say([
        '',
        ...blockLines(
          conversations.map((ticket) => ({ kind: 'conversation', ticket }) as const),
          style,
        ),
        '',
        ...findingLines(findings, style),
      ]),
    );
  const { found, proposed, surveyed } = await interview.settled();
  if (asking === undefined) say(findingLines(surveyed.findings, style));
  const text = settingsText({ proposed, schema: SCHEMA_FILE, about: about(found, files) });
  signal.throwIfAborted();
  await writeSettings(path, name, text, force);
  say(writtenLines(name, proposed, style));
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

function foundLines({ detection, proposal }: FoundMapping, needs: Needs | undefined, style: Style): string[] {
  const { layout, tables, confidence } = detection;
  const facts: Fact[] = tables.map(({ name, files }) => ({
    label: name,
    text: files.length <= 3 ? files.join(', ') : `${files.length} files`,
  }));
  if (needs !== undefined)
    facts.push({
      label: 'found',
      text: `${countOf(needs.tickets, 'ticket')}, ${countOf(needs.messages, 'message')}, ${countOf(needs.events, 'event')}`,
    });
  if (proposal !== undefined)
    for (const label of FIELDS) {
      const from = proposal.found.get(label);
      if (from !== undefined) facts.push({ label, text: `${style.symbols.arrow} ${from.join(', ')}` });
      else if (WANTED.has(label)) facts.push({ label, text: 'not found', paint: style.yellow });
    }
  const title =
    proposal === undefined
      ? `Layout ${layout.name} (${layout.title}), ${Math.round(confidence * 100)} % sure`
      : 'No known layout: a mapping by the names of the columns';
  return [...heading(title, style), ...factLines(facts, style), ''];
}

function findingLines(findings: readonly Finding[], style: Style): string[] {
  if (findings.length === 0) return [];
  const { bullet, arrow } = style.symbols;
  const lines = findings.flatMap(({ message, setting, ticket }) => [
    ...wrap(style.typed(message), style, { indent: 2, lead: `${bullet} `, paintLead: style.yellow }),
    ...wrap(`${setting}${ticket === undefined ? '' : `, for example ticket ${ticket}`}`, style, {
      indent: 4,
      lead: `${arrow} `,
      paint: style.dim,
    }),
  ]);
  return [...heading('Check these', style), ...lines, ''];
}

/** Open values that are named. */
const MOST_NAMED = 12;

function writtenLines(name: string, { settings }: ProposedSettings, style: Style): string[] {
  const { tick, warning } = style.symbols;
  const open = openPaths(settings).map((path) => path.join('.'));
  const run = `helpdesk-import run${name === SETTINGS_FILE ? '' : ` -c ${quoteArgument(name)}`} --dry-run`;
  const decide = `Decide what is marked TODO (${countOf(open.length, 'value')}), as only you can know it; a run stops until then:`;
  const named = [
    ...open.slice(0, MOST_NAMED),
    ...(open.length > MOST_NAMED ? [`and ${open.length - MOST_NAMED} more`] : []),
  ];
  return [
    ...wrap(`${name} is written.`, style, { lead: `${tick} `, paintLead: style.green }),
    ...(open.length === 0
      ? []
      : [
          ...wrap(decide, style, { lead: `${warning} `, paintLead: style.yellow }),
          ...named.flatMap((path) => wrap(path, style, { indent: 4, paint: style.yellow })),
        ]),
    ...factLines(
      [{ label: open.length > 0 ? 'Then' : 'Next', text: style.typed(run), paint: style.cyan }],
      style,
    ),
  ];
}
