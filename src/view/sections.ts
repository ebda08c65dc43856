/** Sections of screens and reports. A section is drawn in one place; a medium names its sections in order. */
import { countOf } from '../domain/printable.ts';
import type { Facts } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { cut } from './conversation/conversation.ts';
import { agentBlocks, detailBlocks, lostBlocks } from './loss.ts';
import { stepBlocks } from './next-steps.ts';
import * as plan from './plan.ts';
import { problemBlocks } from './problems.ts';
import * as evidence from './report.ts';
import { SHOWN, type View } from './run-view.ts';
import * as counted from './summary.ts';
import { trialSentence } from './trial-words.ts';
import { verdictBlocks } from './verdict.ts';

interface Shown {
  readonly isPage: boolean;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly isSandbox?: boolean | undefined;
  /** A report: "2025-06-02 08:00 UTC, version 1.2.3". */
  readonly made?: string | undefined;
}

const SECTIONS = {
  plan: ({ facts: known }) => [
    b.heading(`Plan for ${countOf(known.tickets.read, 'ticket')}`),
    b.facts([
      ...plan.sourceFacts(known),
      ...counted.contentFacts(known),
      plan.channelFact(known.export),
      plan.toSendFact(known),
      ...plan.costFacts(known),
    ]),
  ],
  files: ({ facts }) => plan.fileBlocks(facts),
  look: ({ facts }) => plan.lookBlocks(facts),
  mapping: ({ facts }) => plan.mappingBlocks(facts),
  months: ({ facts }) => plan.monthBlocks(facts.export.months),
  lost: ({ facts }) => lostBlocks(facts),
  details: ({ facts }) => [...agentBlocks(facts), ...detailBlocks(facts)],
  verdict: ({ facts }) => verdictBlocks(facts),
  stopped: ({ facts: { stopped } }) => [
    stopped !== undefined &&
      b.paragraph([cut(stopped.message, 240), ' ', cut(stopped.hint ?? '', 120)], { tone: 'bad' }),
  ],
  about: ({ facts: known }, { made }) => [
    b.facts([
      ...plan.sourceFacts(known),
      known.target !== undefined && { label: 'to', value: known.target },
      known.marks !== undefined && {
        label: 'trial',
        value: trialSentence(known.marks),
        tone: known.marks.wrong.length > 0 ? 'warn' : undefined,
      },
      made !== undefined && { label: 'report made', value: made },
    ]),
    b.heading(`What ${isOver(known) ? 'happened' : 'happens'} to each ticket`, { id: 'outcome' }),
  ],
  outcome: ({ facts }) => counted.outcomeBlocks(facts),
  tiles: ({ facts: known }) => {
    const tiles = [...counted.contentFacts(known), ...counted.sentFacts(known), ...plan.costFacts(known)];
    return [b.present(tiles).length > 0 && b.facts(tiles, { areTiles: true })];
  },
  sent: ({ facts: known }, { isSandbox }) => [
    b.heading('What was read and sent'),
    b.facts([
      ...counted.contentFacts(known),
      ...counted.sentFacts(known),
      ...counted.placeFacts(known, isSandbox),
    ]),
  ],
  places: ({ facts }) => [b.facts(counted.placeFacts(facts))],
  more: ({ facts }) => [
    detailBlocks(facts).length > 0 &&
      b.paragraph(['Value by value in “', { text: 'Not imported', to: 'loss' }, '”.'], { look: 'more' }),
  ],
  problems: ({ facts: known, frames, shownBefore }, { isPage, quiet, verbose }) => {
    const { problemGroups: groups, problems: rows } = known;
    const shown = quiet ? groups.filter(({ severity }) => severity === 'error') : groups;
    const { read, done, skipped, pending } = known.tickets;
    // A ticket that was imported before may have an invalid row now.
    const what = read === done + skipped + pending ? 'rows' : 'tickets';
    return isPage
      ? problemBlocks(shown, { what, most: SHOWN.groups, rows, frames })
      : problemBlocks(shown, { what, rows, frames, shownBefore: verbose ? undefined : shownBefore });
  },
  trial: ({ facts }, shown) => counted.trialBlocks(facts, shown),
  doubt: ({ facts }) => evidence.doubtBlocks(facts),
  failed: ({ facts }) => evidence.failedBlocks(facts),
  runs: ({ facts }) => evidence.runBlocks(facts),
  conversations: (view) => evidence.conversationBlocks(view),
  next: ({ next }) => stepBlocks(next),
} satisfies Readonly<Record<string, (view: View, shown: Shown) => readonly b.Part[]>>;

type Name = keyof typeof SECTIONS;

const PLAN: readonly Name[] = ['plan', 'files', 'look', 'mapping', 'months', 'lost', 'details'];
const END: readonly Name[] = ['problems', 'trial', 'next'];
/** The end of a screen is read first. */
const SCREENS: Readonly<Record<'dry' | 'run' | 'quiet', readonly Name[]>> = {
  dry: [...PLAN, 'verdict', 'outcome', 'places', ...END],
  run: ['verdict', 'outcome', 'sent', 'lost', ...END],
  quiet: ['verdict', 'outcome', 'problems', 'trial'],
};
/** A first page to decide by, and the evidence behind it, most urgent first. */
const DECISION: readonly Name[] = ['verdict', 'stopped', 'about', 'outcome', 'tiles', 'lost', 'more'];
const EVIDENCE: readonly Name[] = ['doubt', 'failed', 'problems', 'details', 'mapping', 'months'];
const BEHIND: readonly Name[] = ['look', 'runs'];

function drawn(names: readonly Name[], view: View, shown: Shown): b.Block[] {
  return names.flatMap((name) => b.blocks(...SECTIONS[name](view, shown)));
}

export function screenBlocks(view: View, output: Omit<Shown, 'isPage' | 'made'> = {}): b.Block[] {
  const screen = output.quiet ? 'quiet' : view.facts.mode === 'dry-run' ? 'dry' : 'run';
  return drawn(SCREENS[screen], view, { ...output, isPage: false });
}

export function pageBlocks(view: View, made: string): Readonly<Record<'decision' | 'evidence', b.Block[]>> {
  const shown = { isPage: true, made };
  const rest: readonly Name[] =
    view.facts.mode === 'trial'
      ? ['next', 'conversations', ...EVIDENCE, ...BEHIND]
      : ['next', ...EVIDENCE, ...BEHIND, 'conversations'];
  return { decision: drawn(DECISION, view, shown), evidence: drawn(rest, view, shown) };
}

function isOver({ mode }: Facts): boolean {
  return mode === 'run' || mode === 'checkpoint';
}
