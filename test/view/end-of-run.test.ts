/** What the end of a run says agrees with its counts, for all of them: its headline, and each next step. */
import { expect, it } from 'vitest';
import type { Facts } from '../../src/plan/facts.ts';
import { commandLines } from '../../src/view/command-line.ts';
import { nextSteps } from '../../src/view/next-steps.ts';
import { verdictOf } from '../../src/view/verdict.ts';
import { factsWith, NOTHING_LOST, ticketsWith } from './sample.ts';

const OUTCOMES = ['done', 'pending', 'rejected', 'failed', 'inDoubt', 'skipped'] as const;
type Counts = Readonly<Record<(typeof OUTCOMES)[number] | 'read', number>>;

const FACTS = factsWith(NOTHING_LOST);

/** Facts of every end that an import can have, with 0, 1, 2 and many tickets of each outcome. */
function* ends(): Generator<Facts> {
  for (let code = 0; code < 4 ** OUTCOMES.length; code += 1) {
    const sizes = OUTCOMES.map((name, at) => [name, [0, 1, 2, 1200][(code >> (2 * at)) & 3] ?? 0] as const);
    const read = sizes.reduce((sum, [, size]) => sum + size, 0);
    const tickets = { ...Object.fromEntries(sizes), read } as Counts;
    const { done, pending, rejected, failed, inDoubt } = tickets;
    const exitCode = inDoubt > 0 ? 4 : rejected + failed > 0 ? 3 : 0;
    const of = (mode: Facts['mode'], parts: Partial<Facts> = {}): Facts => {
      return { ...FACTS, mode, exitCode, ...parts, tickets: ticketsWith(tickets) };
    };
    yield of('dry-run');
    yield of('checkpoint', { exitCode: 0 });
    for (const ok of [true, false]) {
      const checks = [true, ok].map((each) => ({ name: 'tags', detail: '', ok: each }));
      const trial = { tickets: [{ externalId: '1', why: [], checks }] };
      yield of('trial', { trial, exitCode: ok ? exitCode : 3 });
    }
    if (pending > 0) for (const stop of [5, 6, 130]) yield of('run', { exitCode: stop });
    else yield of('run', rejected > 0 ? { rejects: 'left over' } : {});
    const updates = { found: 2, messages: 0, events: 0, sent: 1, notUpdated: 1 };
    if (pending + exitCode === 0 && done > 0) yield of('run', { exitCode: 3, isDelta: true, updates });
  }
}

const numberIn = (text = '') => Number(text.replaceAll(',', ''));
const HEADLINE =
  /^(The import stopped early: )?(?:(The one|Both|All)(?: ([\d,]+))?|([\d,]+) of ([\d,]+)) tickets? (is|are) (ready to import|in the helpdesk|up to date)(?:, ([\d,]+) in the helpdesk already| already|; 1 could not be updated)?\.$/;

/** The ends for which `check` finds that something does not hold. */
function wrongEnds(check: (facts: Facts, must: (holds: unknown, what: string) => void) => void): string[] {
  const wrong: string[] = [];
  for (const facts of ends())
    check(facts, (holds, what) => {
      const { mode, exitCode, tickets } = facts;
      if (!holds) wrong.push(`${what}: ${mode}, exit ${exitCode}, ${JSON.stringify(tickets)}`);
    });
  return wrong.slice(0, 20);
}

it('a headline has the numbers of its counts, and "all", "both" and a good tone only if nothing is left', () => {
  let headlines = 0;
  const wrong = wrongEnds((facts, must) => {
    const { headline, tone } = verdictOf(facts);
    const { mode, exitCode, updates, tickets } = facts;
    const { read, done, pending, skipped } = tickets;
    const left = read - skipped;
    if (left === 0) return must(/^No ticket matches|has no tickets/.test(headline), headline);
    if (headline.startsWith('The trial'))
      return must(
        (exitCode === 0 ? /passed all 2 checks/ : /failed 1 check|problems/).test(headline),
        headline,
      );
    const [, stopped, word, all, some, of, verb, where, already = '0'] = HEADLINE.exec(headline) ?? [];
    const isReady = where === 'ready to import';
    const subject = isReady ? pending : done - (updates?.notUpdated ?? 0);
    const said = some ?? { 'The one': '1', Both: '2' }[word ?? ''] ?? all;
    must(numberIn(said) === subject && numberIn(of ?? said) === left, `wrong number in ${headline}`);
    must((of === undefined) === (subject === left && updates === undefined), `"all" in ${headline}`);
    must(word !== 'All' || subject > 2, `not "both" in ${headline}`);
    must(verb === (subject === 1 ? 'is' : 'are'), `the verb in ${headline}`);
    must(numberIn(already) === (isReady ? done : 0), `what is there already in ${headline}`);
    const isGood = left === done + pending && (mode === 'dry-run' || pending === 0) && !stopped && !updates;
    must((tone === 'good') === isGood, `the tone of ${headline}`);
    headlines += 1;
  });
  expect(wrong).toEqual([]);
  expect(headlines).toBeGreaterThan(10_000);
});

const AGAIN = 'run export.jsonl';
const REJECTS = "run 'left over'";

interface Step {
  readonly says: RegExp;
  /** What must have happened. */
  readonly because: (facts: Facts) => unknown;
  readonly types?: string;
  /** The tickets whose number it names. */
  readonly of?: keyof Counts;
}

const isFlawed = (trial: Facts['trial']) => trial?.tickets.some(({ checks }) => checks.some(({ ok }) => !ok));

const STEPS: readonly Step[] = [
  { says: /^([\d,]+) tickets? may or may not/, because: () => true, types: AGAIN, of: 'inDoubt' },
  { says: /^Settle those that stay in doubt/, because: ({ tickets }) => tickets.inDoubt, types: 'resolve' },
  {
    says: /^Requests under way were finished/,
    because: ({ exitCode, tickets }) => exitCode === 130 && !tickets.inDoubt,
    types: AGAIN,
  },
  { says: /^Check the token/, because: ({ exitCode }) => exitCode === 5, types: 'doctor' },
  { says: /^Then run the same command/, because: ({ exitCode }) => exitCode === 5, types: AGAIN },
  { says: /^Nothing is lost/, because: ({ exitCode }) => exitCode === 6, types: AGAIN },
  {
    says: /^([\d,]+) tickets? (?:was|were) refused/,
    because: ({ mode }) => mode !== 'dry-run',
    types: 'status --failed',
    of: 'failed',
  },
  { says: /^Once the cause is fixed/, because: ({ tickets }) => tickets.failed, types: AGAIN },
  {
    says: /^Nothing was sent\. Correct .* only the ([\d,]+) valid/,
    because: ({ mode }) => mode === 'dry-run',
    of: 'pending',
  },
  {
    says: /^No ticket can be imported yet/,
    because: ({ tickets }) => tickets.rejected && !tickets.pending && !tickets.done,
  },
  {
    says: /^Correct ([\d,]+) rejected tickets? in left over/,
    because: ({ rejects }) => rejects,
    types: REJECTS,
    of: 'rejected',
  },
  {
    says: /^Correct the errors in the export and/,
    because: ({ tickets, rejects }) => tickets.rejected && !rejects,
  },
  {
    says: /^Correct invalid rows in left over/,
    because: ({ tickets, rejects }) => tickets.failed && rejects,
    types: REJECTS,
  },
  { says: /could not be updated/, because: ({ updates }) => updates?.notUpdated, types: AGAIN },
  {
    says: /^(?:Nothing was sent\. )?To import a few/,
    because: ({ mode, tickets }) => mode === 'dry-run' && tickets.pending,
    types: `${AGAIN} --trial`,
  },
  {
    says: /^Look at what failed/,
    because: ({ trial, tickets }) => isFlawed(trial) || tickets.failed + tickets.inDoubt > 0,
    types: AGAIN,
  },
  {
    says: /^Compare these tickets/,
    because: ({ mode, tickets }) => mode === 'trial' && tickets.done,
    types: `${AGAIN} --trial --serve`,
  },
  {
    says: /^If they are right/,
    because: ({ mode, tickets, trial }) => mode === 'trial' && tickets.pending && !isFlawed(trial),
    types: AGAIN,
  },
  { says: /^To look at the imported tickets/, because: ({ tickets }) => tickets.done, types: 'sandbox' },
  { says: /^Compare the helpdesk/, because: ({ exitCode }) => exitCode === 0, types: 'verify export.jsonl' },
  { says: /^Write the report/, because: ({ exitCode }) => exitCode === 0, types: 'report export.jsonl' },
];

it('a next step has its cause, number and command, and unfinished tickets have a step', () => {
  const commands = commandLines({ command: 'run', files: ['export.jsonl'], options: [] });
  const wrong = wrongEnds((facts, must) => {
    const { mode, exitCode, tickets } = facts;
    if (mode === 'checkpoint') return;
    const next = nextSteps(facts, { commands, lookAt: 'helpdesk-import sandbox' });
    const steps = next.map(({ text }) => text);
    for (const { text, command } of next) {
      const [found, ...others] = STEPS.filter(({ says }) => says.test(text));
      if (found === undefined || others.length > 0) return must(false, `not one row of STEPS has "${text}"`);
      must(found.because(facts), `no cause of "${text}"`);
      must(command?.replace('helpdesk-import ', '') === found.types, `"${text}" types ${command}`);
      const named = numberIn(found.says.exec(text)?.[1] ?? '0');
      const isRight = found.of === undefined || (named > 0 && named === tickets[found.of]);
      must(isRight, `wrong number in "${text}"`);
    }
    must(new Set(steps).size === steps.length, `twice the same in ${steps.join(' | ')}`);
    const all = steps.join(' | ');
    must(!tickets.inDoubt || exitCode === 5 || /in doubt|may or may not/.test(all), `no doubt in ${all}`);
    const isFailed = tickets.failed > 0 && !tickets.inDoubt && exitCode === 3 && mode !== 'dry-run';
    must(!isFailed || steps[0]?.includes('refused, or'), `no failure in ${all}`);
    const isSent = mode === 'run' && exitCode === 0 && tickets.done > 0;
    must(!isSent || all.includes('Compare the helpdesk'), `no comparison in ${all}`);
    const isQuiet = tickets.read === tickets.skipped || (mode === 'dry-run' && tickets.failed > 0);
    must(steps.length > 0 || isQuiet, 'no step');
  });
  expect(wrong).toEqual([]);
});
