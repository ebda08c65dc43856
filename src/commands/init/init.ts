/** `helpdesk-import init`: looks at an export, asks what it cannot know, and writes commented settings. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { CliContext, Flags } from '../../cli/context.ts';
import type { Finding } from '../../discover/finding.ts';
import { type Inspection, inspectExport } from '../../discover/inspection.ts';
import type { Needs } from '../../discover/needs.ts';
import { type ProposedSettings, proposeSettings } from '../../discover/propose-settings.ts';
import { type AnswerValue, openPaths, type Question } from '../../discover/questions.ts';
import { settingsText } from '../../discover/settings-text.ts';
import { AppError } from '../../domain/errors.ts';
import { builtinLayouts } from '../../mapping/platforms/builtin-layouts.ts';
import { SETTINGS_FILE } from '../../settings/table/table.ts';
import type { StagedExport } from '../../source/open-export.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { countOf } from '../../view/format.ts';
import { conversationLines } from '../../view/terminal/conversation-view.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { type Fact, factLines, heading, wrap } from '../../view/terminal/text-block.ts';
import { nothingNamed, openFiles, stoppable, textFlag } from '../inspect/open-files.ts';
import { type Ask, askOnTerminal, BACK } from './ask-terminal.ts';
import { chooseMapping, type FoundMapping } from './choose-mapping.ts';
import { channelName, channelQuestion, offeredChannels } from './offered-channels.ts';
import { type SurveyedNeeds, surveyNeeds } from './survey-needs.ts';
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
  using inspection = await inspectExport(opened, builtinLayouts(), { from: textFlag(flags, 'from'), signal });
  const asking =
    flags['yes'] === true || files.includes('-') ? undefined : (ask ?? terminal(context, signal));
  const interview = new Interview(inspection, opened, {
    flags,
    files: files.map((file) => inFile(file, context.cwd, dirname(path))),
    folder: context.cwd,
    signal,
    now: new Date(context.clock.now()),
  });
  let state = await interview.next();
  say(foundLines(state.found, state.surveyed?.needs, style));
  if (asking !== undefined) state = await settle(interview, asking, say, style);
  const { found, proposed, surveyed } = await interview.settled();
  if (asking === undefined) say(findingLines(surveyed.findings, style));
  const channels = await offeredChannels(context, signal);
  const channelId =
    asking === undefined || channels.length === 0
      ? undefined
      : await asking(channelQuestion(channels), false);
  const text = settingsText({
    proposed,
    schema: SCHEMA_FILE,
    about: about(found, files),
    target: {
      channelId: typeof channelId === 'string' ? channelId : undefined,
      channels: channels.map(channelName),
    },
  });
  signal.throwIfAborted();
  await writeSettings(path, name, text, force);
  say(writtenLines(name, proposed, style));
  return 0;
}

/** Asks until nothing is open, shows three conversations, and asks once whether they are right. */
async function settle(
  interview: Interview,
  ask: Ask,
  say: (lines: readonly string[]) => void,
  style: Style,
): Promise<Asked> {
  for (;;) {
    const state = await interview.next();
    if (state.question !== undefined) {
      const value = await ask(state.question, interview.canGoBack);
      if (value === BACK) interview.back();
      else interview.answer(state.question, value);
      continue;
    }
    const { conversations = [], findings = [] } = state.surveyed ?? {};
    if (conversations.length === 0) return state;
    say([...conversationLines(conversations, style), '', ...findingLines(findings, style)]);
    const isRight = await ask(LOOK, interview.canGoBack);
    if (isRight === BACK) interview.back();
    else if (isRight === false) {
      if ((await ask(WRONG, false)) !== 'again') return state;
      interview.restart();
    } else return state;
  }
}

const LOOK: Question = {
  key: 'look',
  path: [],
  concept: 'conversations',
  question: 'This is how these tickets will look. Is that correct?',
  choices: [
    { value: true, label: 'yes' },
    { value: false, label: 'no' },
  ],
  kind: 'choice',
  rank: 99,
};
const WRONG: Question = {
  ...LOOK,
  key: 'wrong',
  question: 'What should happen?',
  choices: [
    { value: 'again', label: 'ask me again' },
    { value: 'write', label: 'write the settings, and I correct the mapping in the file' },
  ],
};

interface Asked {
  readonly found: FoundMapping;
  /** Undefined while the mapping itself is open. */
  readonly surveyed: SurveyedNeeds | undefined;
  readonly question: Question | undefined;
}

interface InterviewOptions {
  readonly flags: Flags;
  readonly files: readonly string[];
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** The proposal made anew with each answer: what is asked next depends on what was said. */
class Interview {
  readonly #inspection: Inspection;
  readonly #opened: StagedExport;
  readonly #options: InterviewOptions;
  readonly #answers = new Map<string, AnswerValue>();
  /** Keys of the questions in the order of asking, and those that were left open. */
  readonly #asked: string[] = [];
  readonly #later = new Set<string>();
  #surveyed: { readonly of: string; readonly result: SurveyedNeeds } | undefined;

  constructor(inspection: Inspection, opened: StagedExport, options: InterviewOptions) {
    this.#inspection = inspection;
    this.#opened = opened;
    this.#options = options;
  }

  get canGoBack(): boolean {
    return this.#asked.length > 0;
  }

  answer({ key }: Question, value: AnswerValue | undefined): void {
    this.#asked.push(key);
    if (value === undefined) this.#later.add(key);
    else this.#answers.set(key, value);
  }

  back(): void {
    const key = this.#asked.pop();
    if (key === undefined) return;
    this.#answers.delete(key);
    this.#later.delete(key);
  }

  restart(): void {
    while (this.canGoBack) this.back();
  }

  async next(): Promise<Asked> {
    const found = this.#found();
    const open = (questions: readonly Question[] = []) => questions.find(({ key }) => !this.#later.has(key));
    const question = open(found.proposal?.questions);
    if (question !== undefined) return { found, surveyed: undefined, question };
    const { surveyed, proposed } = await this.settled();
    return { found, surveyed, question: open(proposed.questions) };
  }

  async settled(): Promise<{ found: FoundMapping; surveyed: SurveyedNeeds; proposed: ProposedSettings }> {
    const found = this.#found();
    const surveyed = await this.#survey(found);
    const { tables } = this.#inspection;
    const { flags, files } = this.#options;
    const proposed = proposeSettings({
      files,
      layout: found.detection.layout,
      proposal: found.proposal,
      needs: surveyed.needs,
      unread: found.proposal === undefined ? surveyed.unread : [],
      openDates: surveyed.openDayOrder
        ? (tables.flatMap(({ columns }) => columns).find(({ dayOrder }) => dayOrder === 'open')
            ?.examples[0] ?? '03/04/2025')
        : undefined,
      encoding: textFlag(flags, 'encoding'),
      delimiter: textFlag(flags, 'delimiter'),
      answers: this.#answers,
    });
    return { found, surveyed, proposed };
  }

  #found(): FoundMapping {
    const found = chooseMapping(this.#inspection, this.#opened, this.#options.flags, this.#answers);
    if (found === undefined)
      throw new AppError(
        'source',
        'None of these files looks like tickets: no table has a column with an ID.',
        {
          hint: 'See what is in them with helpdesk-import inspect, and name the files that hold tickets.',
        },
      );
    return found;
  }

  async #survey(found: FoundMapping): Promise<SurveyedNeeds> {
    const of = JSON.stringify(found.proposal?.mapping ?? '');
    if (this.#surveyed?.of !== of) {
      const { folder, signal, now } = this.#options;
      this.#surveyed = {
        of,
        result: await surveyNeeds(this.#opened, found.detection, { folder, signal, now }),
      };
    }
    return this.#surveyed.result;
  }
}

function findingLines(findings: readonly Finding[], style: Style): string[] {
  const lines = findings.flatMap(({ message, setting, ticket }) => [
    ...wrap(style.typed(message), style, {
      indent: 2,
      lead: `${style.symbols.bullet} `,
      paintLead: style.yellow,
    }),
    ...wrap(`${setting}${ticket === undefined ? '' : `, for example ticket ${ticket}`}`, style, {
      indent: 4,
      lead: `${style.symbols.arrow} `,
      paint: style.dim,
    }),
  ]);
  return lines.length === 0 ? [] : [...heading('Check these', style), ...lines, ''];
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
/** Open values that are named. */
const MOST_NAMED = 12;

function foundLines({ detection, proposal }: FoundMapping, needs: Needs | undefined, style: Style): string[] {
  const { layout, tables, confidence } = detection;
  const counts =
    needs === undefined
      ? []
      : [
          countOf(needs.tickets, 'ticket'),
          countOf(needs.messages, 'message'),
          countOf(needs.events, 'event'),
        ];
  const facts: Fact[] = [
    ...tables.map(({ name, files }) => ({
      label: name,
      text: files.length <= 3 ? files.join(', ') : `${files.length} files`,
    })),
    ...(counts.length === 0 ? [] : [{ label: 'found', text: counts.join(', ') }]),
  ];
  const title =
    proposal === undefined
      ? `Layout ${layout.name} (${layout.title}), ${Math.round(confidence * 100)} % sure`
      : 'No known layout: a mapping by the names of the columns';
  const fields =
    proposal === undefined
      ? []
      : FIELDS.flatMap((field): Fact[] => {
          const from = proposal.found.get(field);
          if (from !== undefined)
            return [{ label: field, text: `${style.symbols.arrow} ${from.join(', ')}` }];
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
