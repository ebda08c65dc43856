/** One export on its way: `init` as somebody would call it, the answers, a dry run, and the comparison with the truth. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parse, stringify } from 'yaml';
import { createChecker } from '../../src/check/check-ticket.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { loadSettings } from '../../src/cli/load-settings.ts';
import { initCommand } from '../../src/commands/init/init.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Problem } from '../../src/domain/problem.ts';
import type { CheckResult } from '../../src/domain/ticket.ts';
import type { FindingCode } from '../../src/findings/finding.ts';
import { checkRules } from '../../src/import/check-rules.ts';
import { openSource } from '../../src/import/source.ts';
import { surveyExport } from '../../src/import/survey-export.ts';
import { commandLines } from '../../src/present/terminal/command-line.ts';
import { createContactNames } from '../../src/source/join/contact-names.ts';
import { systemClock } from '../../src/system-clock.ts';
import { answered } from './answers.ts';
import { type Choices, draw, type Round } from './choices.ts';
import { type Comparison, compare, type Difference, type Wrong } from './compare.ts';
import { writeFiles } from './files.ts';
import { Chance } from './random.ts';
import { shape } from './shape.ts';
import { makeTruth } from './truth.ts';

/** `right` as it is, `answered` after questions about the export, `loud` where it says what is wrong, else `silent`. */
export type Verdict = 'right' | 'answered' | 'loud' | 'silent';

export interface Measured {
  readonly seed: number;
  readonly choices: Choices;
  readonly verdict: Verdict;
  readonly why: string;
  readonly wrong: readonly Difference[];
  readonly asked: readonly string[];
  readonly findings: readonly string[];
}

/**
 * What a finding speaks about: a difference of that kind is no silent one. A question about tables says nothing about a
 * field, and one about guessed columns speaks of the fields that it names alone.
 */
export const SPEAKS_OF: Readonly<Record<FindingCode, readonly Wrong[]>> = {
  'guessed-columns': [],
  // and one about a table that holds messages speaks of their texts and files
  'unsure-tables': ['tickets', 'text-lost', 'text-extra', 'attachment', 'left-out'],
  // rows that are asked about as tickets may be messages
  'unsure-tickets': ['tickets', 'text-lost', 'text-extra'],
  'unsure-requester': ['requester', 'author', 'role'],
  'unsure-assignee': ['assignee'],
  'unsure-author': ['author', 'role'],
  'unsure-visibility': ['internal'],
  'unsure-text': ['text-lost', 'text-extra', 'left-out'],
  'unsure-status': ['status'],
  'unsure-priority': ['priority'],
  'unsure-subject': ['subject'],
  'unsure-tags': ['tags'],
  'unsure-times': ['created', 'closed', 'message-time'],
  'unsure-attachments': ['attachment'],
  'shared-rows': ['tickets'],
  'few-tickets': ['tickets'],
  'no-id': ['tickets'],
  conversations: [],
  'odd-key': ['tickets'],
  'many-customers': ['tickets', 'author', 'role'],
  'row-versions': ['text-extra', 'tickets'],
  'no-conversation': ['text-lost'],
  'unjoined-rows': ['text-lost', 'tickets', 'left-out'],
  'unread-text': ['text-lost', 'left-out'],
  'one-author-type': ['role', 'author'],
  'agent-writes-first': ['role', 'author'],
  'agents-like-requesters': ['role', 'author'],
  'requester-is-agent': ['requester', 'author', 'role'],
  'few-requesters': ['requester', 'author'],
  'not-the-requester': ['requester', 'author', 'role'],
  'unread-visibility': ['internal'],
  'several-speakers': ['text-lost', 'text-extra', 'role', 'author', 'message-time', 'attachment'],
  'customer-notes': ['internal', 'role', 'author'],
  'note-published': ['internal', 'text-extra'],
  'repeated-text': ['text-extra', 'text-lost'],
  'nothing-said': ['text-extra'],
  'status-not-latest': ['status'],
  'unread-records': [],
  'unread-field': ['status', 'priority', 'tags', 'requester', 'author', 'assignee', 'subject'],
  'same-times': ['message-time'],
  'odd-times': ['message-time', 'created'],
  'line-breaks': [],
  'joined-tags': ['tags'],
  'no-requester': ['requester', 'author'],
};

/** What `guessed-columns` calls a column, and what is wrong where it is none. */
const GUESSED: readonly (readonly [RegExp, readonly Wrong[]])[] = [
  [/^(?:status|priority|tags|subject|attachment)$/, []],
  [/^created_at$/, ['created']],
  [/^closed_at$/, ['closed']],
  [/^sent_at$/, ['message-time']],
  [/^updated_at$/, ['message-time']],
  [/^ticket_id$/, ['tickets']],
  [/^requester_/, ['requester', 'author', 'role']],
  [/^assignee_/, ['assignee']],
  [/^(?:author|updated_by)_/, ['author', 'role']],
  [/^(?:incoming|from_agent|role)$/, ['role', 'author']],
  [/^is_(?:public|private)$/, ['internal']],
  [/^(?:body|description|answer)$/, ['text-lost', 'text-extra']],
];

/** The fields of which the question about guessed columns says what was taken for them. */
function guessedIn(text: string): Wrong[] {
  const said = text.replace(/\n\s*# ?/g, ' ');
  return [...said.matchAll(/ as (\w+) \(/g)].flatMap(([, name = '']) =>
    GUESSED.flatMap(([pattern, wrong]) =>
      !pattern.test(name) ? [] : wrong.length === 0 ? [name as Wrong] : wrong,
    ),
  );
}

const SEEDS: Readonly<Record<Round, number>> = {
  developed: 0,
  'held out before': 900_000,
  'held out': 1_800_000,
};

export async function measure(seed: number, round: Round, kept?: string): Promise<Measured> {
  const chance = new Chance(seed + SEEDS[round]);
  const choices = draw(chance, round);
  const truth = makeTruth(chance, { notes: choices.internal !== 'none', attachments: chance.happens(0.5) });
  const shaped = shape(truth, choices, chance);
  const { tables, time } = shaped;
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'proposals-'));
  try {
    writeFiles(join(folder, 'export'), tables, choices);
    const context = contextIn(folder);
    const found = { seed, choices, wrong: [], asked: [], findings: [] as readonly string[] };
    try {
      await initCommand([join(folder, 'export')], { yes: true, force: true, color: false }, context);
    } catch (error) {
      return { ...found, verdict: 'loud', why: `init: ${messageOf(error)}` };
    }
    const settings = join(folder, 'helpdesk-import.yaml');
    const text = readFileSync(settings, 'utf8');
    if (kept !== undefined) writeFileSync(join(folder, 'proposed.yaml'), text);
    const proposed = parse(text) as Record<string, unknown>;
    const given = answered(proposed, { truth, choices, time });
    const reported = { ...found, asked: given.asked, findings: given.findings };
    if (given.unanswered.length > 0)
      return { ...reported, verdict: 'loud', why: `not answered: ${given.unanswered[0]}` };
    writeFileSync(settings, stringify(given.settings));
    const run = await wouldSend(context).catch((error: unknown) => messageOf(error));
    if (typeof run === 'string') return { ...reported, verdict: 'loud', why: `run: ${run}` };
    return {
      ...reported,
      ...judge(compare(shaped, run.results, choices), run.problems, given, guessedIn(text)),
    };
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function judge(
  { wrong, rejected }: Comparison,
  problems: readonly Problem[],
  { asked, findings }: { readonly asked: readonly string[]; readonly findings: readonly string[] },
  guessed: readonly Wrong[],
): Pick<Measured, 'verdict' | 'why' | 'wrong'> {
  const named = [...findings, ...problems.map(({ code }) => code)];
  const isNamed = named.some((code) => (SPEAKS_OF[code as FindingCode] ?? []).includes('left-out'));
  // a text beside the conversation is no part of it; it only has to be named
  if (rejected === 0 && wrong.every(({ what }) => what === 'left-out' && isNamed))
    return { verdict: asked.length > 0 ? 'answered' : 'right', why: '', wrong: [] };
  const speaks = (code: string, what: Wrong) => (SPEAKS_OF[code as FindingCode] ?? []).includes(what);
  // each thing that is wrong has to be named: what stops for something else would come in wrong once that is put right
  const silent = wrong.filter(
    ({ what }) => !guessed.includes(what) && !named.some((code) => speaks(code, what)),
  );
  if (silent.length > 0) return { verdict: 'silent', why: silent[0]?.what ?? '', wrong: silent };
  return {
    verdict: 'loud',
    why: wrong[0]?.what ?? `rejected: ${firstError(problems)}`,
    wrong,
  };
}

/** The survey of a dry run, with everything that it would send. */
async function wouldSend(context: CliContext): Promise<{ results: CheckResult[]; problems: Problem[] }> {
  const { settings, folder } = await loadSettings([], { dryRun: true }, ['files'], context);
  const problems: Problem[] = [];
  const results: CheckResult[] = [];
  const signal = new AbortController().signal;
  const ports = { emit: () => {}, signal, problem: (problem: Problem) => void problems.push(problem) };
  await using source = await openSource(settings, { ...ports, folder });
  using names = createContactNames();
  await surveyExport(source, settings, {
    ...ports,
    check: createChecker(checkRules(settings, source, systemClock)),
    names,
    ledger: undefined,
    now: systemClock.now,
    content: { note: (examined) => void (examined.kind === 'ticket' && results.push(examined.result)) },
  });
  return { results, problems };
}

function contextIn(folder: string): CliContext {
  const silent = () => new PassThrough().resume();
  return {
    env: {},
    cwd: folder,
    stdin: silent(),
    stdout: silent(),
    stderr: silent(),
    clock: systemClock,
    onSignal: () => () => {},
    commands: commandLines({ command: 'init', files: ['export'], options: [] }),
  };
}

function firstError(problems: readonly Problem[]): string {
  const first = problems.find(({ severity }) => severity === 'error');
  return `${first?.code} ${first?.message}`;
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return [error.message, ...error.lines].join(' ').slice(0, 300);
  throw error;
}
