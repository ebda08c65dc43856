/** `helpdesk-import init`: looks at an export, asks what it cannot know, and writes commented settings. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { CliContext, Flags } from '../../cli/context.ts';
import { inspectExport } from '../../discover/inspection.ts';
import type { Needs } from '../../discover/propose/open-needs.ts';
import {
  type Answer,
  openPaths,
  type ProposedSettings,
  withAnswers,
} from '../../discover/propose/proposal.ts';
import { openDate, proposeSettings } from '../../discover/propose/propose-settings.ts';
import { settingsText } from '../../discover/propose/settings-text.ts';
import { skeletonSettings } from '../../discover/propose/skeleton.ts';
import { builtinLayouts } from '../../mapping/platforms/builtin-layouts.ts';
import { quoteArgument } from '../../present/terminal/command-line.ts';
import { countOf } from '../../present/terminal/format.ts';
import { createStyle, type Style } from '../../present/terminal/style.ts';
import { type Fact, factLines, heading, wrap } from '../../present/terminal/text-block.ts';
import { SETTINGS_FILE } from '../../settings/table/table.ts';
import { nothingNamed, openFiles, stoppable, textFlag } from '../inspect/open-files.ts';
import { type Ask, askOnTerminal } from './ask-terminal.ts';
import { chooseMapping, detectionOf, type FoundMapping } from './choose-mapping.ts';
import { confirmByLooking, ofFindings } from './confirm-by-looking.ts';
import { channelDecision, channelName, offeredChannels } from './offered-channels.ts';
import { surveyNeeds } from './survey-needs.ts';
import { refuseToReplace, SCHEMA_FILE, writeSettings } from './write-settings.ts';

/** `ask` stands in for the terminal in tests. */
export async function initCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
  ask?: Ask,
): Promise<number> {
  if (files.length === 0) throw nothingNamed('init');
  const name = textFlag(flags, 'output') ?? SETTINGS_FILE;
  const path = resolve(context.cwd, name);
  const force = flags['force'] === true;
  refuseToReplace(path, name, force);
  using stop = stoppable(context);
  const { signal } = stop;
  const style = createStyle({
    stream: context.stderr,
    env: context.env,
    commands: context.commands,
  });
  const say = (lines: readonly string[]) => context.stderr.write(`${lines.join('\n')}\n`);

  await using opened = await openFiles(files, flags, context, signal);
  const inspection = await inspectExport(opened, builtinLayouts(), {
    full: false,
    from: textFlag(flags, 'from'),
    signal,
  });
  const found = chooseMapping(inspection, opened, flags);
  if (found === undefined) {
    const skeleton = skeletonSettings(
      inspection.tables,
      files.map((file) => inFile(file, context.cwd, dirname(path))),
    );
    const about = [`Settings of helpdesk-import for ${files.join(', ')}`, NO_TICKETS];
    signal.throwIfAborted();
    await writeSettings(path, name, settingsText({ proposed: skeleton, schema: SCHEMA_FILE, about }), force);
    say(wrap(NO_TICKETS, style, { lead: `${style.symbols.warning} `, paintLead: style.yellow }));
    say(writtenLines(name, skeleton, style));
    return 0;
  }
  const surveying = { folder: context.cwd, signal, now: new Date(context.clock.now()) };
  const surveyed = await surveyNeeds(opened, found.detection, surveying);
  const { needs, findings, openDayOrder } = surveyed;
  const proposed = proposeSettings({
    files: files.map((file) => inFile(file, context.cwd, dirname(path))),
    layout: found.detection.layout,
    proposal: found.proposal,
    needs,
    findings,
    openDates: openDayOrder
      ? (openDate(inspection.tables.flatMap(({ columns }) => columns)) ?? '03/04/2025')
      : undefined,
    encoding: textFlag(flags, 'encoding'),
    delimiter: textFlag(flags, 'delimiter'),
  });
  say(foundLines(found, needs, style));
  const asking =
    flags['yes'] === true || files.includes('-') ? undefined : (ask ?? terminal(context, signal));
  let settled = proposed;
  if (asking !== undefined) {
    const given = await answers(proposed, asking);
    settled = withAnswers(proposed, given);
    const detection = given.some(
      ({ decision, value }) => decision.path[0] === 'mapping' && value !== undefined,
    )
      ? detectionOf(settled.settings['mapping'], opened)
      : undefined;
    const { conversations } =
      detection === undefined ? surveyed : await surveyNeeds(opened, detection, surveying);
    const look = {
      conversations,
      findings: [...(found.proposal?.doubts ?? []), ...findings],
      ask: asking,
      say,
      style,
    };
    settled = await confirmByLooking(settled, look);
  }
  const channels = await offeredChannels(context, signal);
  const channelId =
    asking === undefined || channels.length === 0 ? undefined : await asking(channelDecision(channels));
  const text = settingsText({
    proposed: settled,
    schema: SCHEMA_FILE,
    about: about(found, files),
    target: {
      channelId: typeof channelId === 'string' ? channelId : undefined,
      channels: channels.map(channelName),
    },
  });
  signal.throwIfAborted();
  await writeSettings(path, name, text, force);
  say(writtenLines(name, settled, style));
  return 0;
}

const NO_TICKETS =
  'None of these files looks like tickets: no table has an id together with a subject, a status or messages. The settings list what was found and the lines to fill in.';

async function answers(proposed: ProposedSettings, ask: Ask): Promise<Answer[]> {
  const given: Answer[] = [];
  for (const decision of proposed.decisions.filter((each) => !ofFindings(each)))
    given.push({ decision, value: await ask(decision) });
  return given;
}

function terminal(context: CliContext, signal: AbortSignal): Ask | undefined {
  const { stdin, stderr } = context;
  return stdin.isTTY === true && stderr.isTTY === true ? askOnTerminal(stdin, stderr, signal) : undefined;
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

// What `init` says: what it found, and what it wrote.

const FIELDS = [
  'subject',
  'contact',
  'status',
  'priority',
  'tags',
  'assignedToId',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'messages',
  'events',
] as const;
/** Fields whose absence is worth a word. */
const WANTED: ReadonlySet<string> = new Set(['contact', 'status', 'createdAt', 'messages']);
/** Open values that are named. */
const MOST_NAMED = 12;

function foundLines({ detection, proposal }: FoundMapping, needs: Needs, style: Style): string[] {
  const { layout, tables, confidence } = detection;
  const counts = [
    countOf(needs.tickets, 'ticket'),
    countOf(needs.messages, 'message'),
    countOf(needs.events, 'event'),
  ];
  const facts: Fact[] = [
    ...tables.map(({ name, files }) => ({
      label: name,
      text: files.length <= 3 ? files.join(', ') : `${files.length} files`,
    })),
    { label: 'found', text: counts.join(', ') },
  ];
  const title =
    proposal === undefined
      ? `Layout ${layout.name} (${layout.title}), ${Math.round(confidence * 100)} % sure`
      : 'No known layout: this is what the columns look like';
  const fields =
    proposal === undefined
      ? []
      : FIELDS.flatMap((field): Fact[] => {
          const from = proposal.found.get(field);
          if (from !== undefined) return [{ label: field, text: `${style.symbols.arrow} ${from}` }];
          return WANTED.has(field) ? [{ label: field, text: 'not found', paint: style.yellow }] : [];
        });
  return [...heading(title, style), ...factLines([...facts, ...fields], style), ''];
}

function writtenLines(name: string, { settings }: ProposedSettings, style: Style): string[] {
  const open = openPaths(settings);
  const config = name === SETTINGS_FILE ? '' : ` -c ${quoteArgument(name)}`;
  const run = `helpdesk-import run${config} --dry-run`;
  const lines = wrap(`${name} is written.`, style, {
    lead: `${style.symbols.tick} `,
    paintLead: style.green,
  });
  if (open.length > 0) {
    const one = open.length === 1;
    lines.push(
      ...wrap(
        `${one ? 'One value in it is' : `${open.length} values in it are`} marked TODO, which only you can know; a run stops until ${one ? 'it is' : 'they are'} decided:`,
        style,
        { lead: `${style.symbols.warning} `, paintLead: style.yellow },
      ),
      ...open
        .slice(0, MOST_NAMED)
        .flatMap((path) => wrap(path.join('.'), style, { indent: 4, paint: style.yellow })),
      ...(open.length > MOST_NAMED ? [`    and ${open.length - MOST_NAMED} more`] : []),
    );
  }
  return [
    ...lines,
    ...factLines(
      [{ label: open.length > 0 ? 'Then' : 'Next', text: style.typed(run), paint: style.cyan }],
      style,
    ),
  ];
}
