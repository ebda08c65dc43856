import { createProblemLog, type Problem, type ProblemSnapshot } from '../../src/domain/problem.ts';
import type { CheckedTicket } from '../../src/domain/ticket.ts';
import { emptyCounts } from '../../src/domain/ticket-state.ts';
import type { Facts } from '../../src/plan/facts.ts';
import { lostOf } from '../../src/plan/lost.ts';
import { type Conversation, conversationOf } from '../../src/view/conversation/conversation.ts';
import { renderReport } from '../../src/view/html/report.ts';
import type { View } from '../../src/view/run-view.ts';
import { rowsOf } from '../support/rows.ts';

/** Of an export as a support team has it, small enough to be read there. */
const SAMPLE = rowsOf<{
  facts: Omit<Facts, 'tickets' | 'problems' | 'problemsTotal' | 'problemGroups' | 'lost'>;
  mixed: Pick<Facts, 'messages' | 'attachments' | 'requests' | 'rejects' | 'report' | 'exitCode'>;
  nothingLost: Pick<Facts, 'details' | 'people' | 'contacts' | 'attachments'>;
  problems: readonly Problem[];
  checked: CheckedTicket;
}>(import.meta.dirname, 'sample.yaml');

export const { nothingLost: NOTHING_LOST, problems: PROBLEMS } = SAMPLE;

export function ticketsWith(parts: Partial<Facts['tickets']>): Facts['tickets'] {
  const { pending = 0, done = 0 } = parts;
  return {
    ...emptyCounts(),
    ...{ create: pending, update: 0, unchanged: done, created: 0, updated: 0, unreadable: 0 },
    ...parts,
  };
}

export function snapshotOf(problems: readonly Problem[]): ProblemSnapshot {
  const log = createProblemLog();
  for (const problem of problems) log.add(problem);
  return log.snapshot();
}

type FactsParts = Partial<Omit<Facts, 'tickets' | 'problems'>> & {
  readonly tickets?: Partial<Facts['tickets']> | undefined;
  readonly problems?: ProblemSnapshot;
};

/** A run in which all went well; `parts` say what did not. */
export function factsWith({ problems = snapshotOf([]), tickets, ...parts }: FactsParts = {}): Facts {
  const facts: Omit<Facts, 'lost'> = {
    ...SAMPLE.facts,
    tickets: ticketsWith(tickets ?? { read: 12_430, done: 12_430 }),
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    ...parts,
  };
  return { ...facts, lost: parts.lost ?? lostOf(facts) };
}

/** A run with something of every outcome. */
export const MIXED = {
  ...SAMPLE.mixed,
  tickets: {
    ...emptyCounts(),
    read: 12_430,
    done: 12_150,
    rejected: 41,
    failed: 30,
    inDoubt: 9,
    skipped: 200,
  },
  problems: snapshotOf(PROBLEMS),
} satisfies FactsParts;

/** A checked ticket with one of everything; `parts` replace parts of it. */
export function checkedTicket(parts: Partial<CheckedTicket> = {}): CheckedTicket {
  return { ...SAMPLE.checked, ...parts };
}

export function conversation(parts: Partial<CheckedTicket> = {}): Conversation {
  return conversationOf(checkedTicket(parts), ['status closed', 'an internal note'], (email) =>
    email === 'ana@example.com' ? 'Ana Ruiz' : undefined,
  );
}

type ViewParts = Partial<Omit<View, 'facts'>> & { readonly facts?: FactsParts };

const NEXT = {
  text: 'To import a few representative tickets first:',
  command: 'helpdesk-import run x.csv --trial',
};

/** A dry run with something of everything in it; `parts` say what is different. */
export function dryView({ facts, ...parts }: ViewParts = {}): View {
  return {
    facts: factsWith({
      mode: 'dry-run',
      tickets: { read: 12_430, rejected: 41, skipped: 200, pending: 12_189 },
      exitCode: 3,
      target: undefined,
      problems: snapshotOf(PROBLEMS),
      ...facts,
    }),
    samples: {
      conversations: [conversation()],
    },
    next: [NEXT],
    ...parts,
  };
}

/** A finished run; `facts` say what did not go well. */
export function runView({ facts, ...parts }: ViewParts = {}): View {
  return {
    ...dryView(),
    facts: factsWith({
      tickets: { read: 12, done: 12 },
      runs: [
        {
          ...{ mode: 'run', version: '1.2.3', pid: 1, isGoingOn: false, exitCode: 0 },
          startedAt: '2025-06-02T07:58:00.000Z',
          endedAt: '2025-06-02T07:59:30.000Z',
        },
      ],
      ...facts,
    }),
    ...parts,
  };
}

export function pageOf(view: View, more: Partial<Parameters<typeof renderReport>[1]> = {}): string {
  return renderReport(view, { version: '1.2.3', madeAt: Date.parse('2025-06-02T08:00:00.000Z'), ...more });
}

/** A trial whose one ticket had checks that passed or not. */
export function trialView(oks: readonly boolean[], exitCode = 0): View {
  const checks = oks.map((ok) => ({ name: 'message order', ok, detail: ok ? 'As it was.' : 'Swapped.' }));
  const ticket = { externalId: '4711', ticketId: 'tkt_1', why: ['the longest thread'], checks };
  return runView({ facts: { mode: 'trial', trial: { tickets: [ticket] }, exitCode } });
}

/** A tag of markup with its attributes. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The start tags of well-formed markup, as the report makes it: every `<` that is text is escaped, every value quoted. */
export function tagsOf(markup: string): Tag[] {
  return [...markup.matchAll(/<([a-z!][a-z0-9-]*)((?:[^"'<>]|"[^"]*")*)>/gi)].map(
    ([, name = '', rest = '']) => ({
      name: name.toLowerCase(),
      attributes: Object.fromEntries(
        [...rest.matchAll(/([^\s"=/]+)(?:="([^"]*)")?/g)].map(([, key = '', text = '']) => [
          key.toLowerCase(),
          text,
        ]),
      ),
    }),
  );
}

export function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The text of a page without its tags, styles and frames. */
export function textOf(markup: string): string {
  return unescaped(
    markup
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  );
}
