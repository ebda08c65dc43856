/**
 * Exports with known truth: each goes through `init` with no edits, its questions are answered from the truth, and what an
 * import would send is compared with the truth, field by field. `PROPOSALS=200` makes fewer, `PROPOSAL=17` shows one, `HELD=before PROPOSAL=17`
 * one of those with choices that were held out before.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { fixed, printTable, title } from '../support/table.ts';
import { DIMENSIONS, mustAsk, type Round } from './choices.ts';
import { type Measured, measure, type Verdict } from './measure.ts';

const VERDICTS: readonly Verdict[] = ['right', 'answered', 'loud', 'silent'];

export async function proposals(): Promise<void> {
  const { PROPOSAL: one, PROPOSALS: count = '1000', HELD: held, SHOW: show } = process.env;
  if (one !== undefined) {
    const folder = `/tmp/proposal-${one}`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    console.log(
      JSON.stringify(await measure(Number(one), roundOf(held), folder), undefined, 1).slice(0, 200000),
      folder,
    );
    return;
  }
  title('Exports with known truth, through init and a dry run');
  const developed = await measured(Number(count), 'developed');
  const before = await measured(Math.ceil(Number(count) / 5), 'held out before');
  const unseen = await measured(Math.ceil(Number(count) / 5), 'held out');
  printTable(
    ['choices', 'exports', 'right', 'answered', 'loud', 'silently wrong', 'right, nothing to ask', 'seconds'],
    [developed, before, unseen].map(({ name, all, seconds }) => [
      name,
      String(all.length),
      ...VERDICTS.map((verdict) => `${share(all, verdict)} %`),
      `${share(
        all.filter(({ choices }) => !mustAsk(choices)),
        'right',
      )} %`,
      fixed(seconds, 0),
    ]),
  );
  const { all } = developed;
  console.log('\nBy choice, those that fail most:\n');
  printTable(['choice', 'exports', 'right or answered', 'loud', 'silent'], byChoice(all).slice(0, 25));
  console.log('\nWhat is silently wrong:\n');
  printTable(['what', 'exports', 'for example'], reasons(all, 'silent'));
  console.log('\nWhat is silently wrong with choices that were held out before:\n');
  printTable(['what', 'exports', 'for example'], reasons(before.all, 'silent'));
  console.log('\nWhat is silently wrong with held-out choices:\n');
  printTable(['what', 'exports', 'for example'], reasons(unseen.all, 'silent'));
  console.log('\nWhat is asked where nothing has to be:\n');
  printTable(['question', 'exports', 'for example'], needless(all));
  console.log('\nWhat is loud:\n');
  printTable(['what', 'exports', 'for example'], reasons(all, 'loud').slice(0, 25));
  if (show !== undefined)
    for (const { seed, verdict, why, choices } of all
      .filter((measured) => measured.why.startsWith(show))
      .slice(0, 30))
      console.log(seed, verdict, why, Object.values(choices).join(' '));
}

interface MeasuredRound {
  readonly name: Round;
  readonly all: readonly Measured[];
  readonly seconds: number;
}

/** `HELD=before` or `HELD=1` */
function roundOf(held: string | undefined): Round {
  return held === undefined ? 'developed' : held === 'before' ? 'held out before' : 'held out';
}

async function measured(count: number, name: Round): Promise<MeasuredRound> {
  const all: Measured[] = [];
  const begun = performance.now();
  for (let seed = 1; seed <= count; seed++) all.push(await measure(seed, name));
  return { name, all, seconds: (performance.now() - begun) / 1000 };
}

function share(all: readonly Measured[], verdict: Verdict): string {
  return fixed(
    (100 * all.filter((measured) => measured.verdict === verdict).length) / Math.max(1, all.length),
    1,
  );
}

function byChoice(all: readonly Measured[]): string[][] {
  return DIMENSIONS.flatMap((dimension) =>
    [...Map.groupBy(all, ({ choices }) => choices[dimension])].map(([option, some]) => ({
      name: `${dimension}: ${option}`,
      some,
      good: good(some),
    })),
  )
    .sort((a, b) => a.good - b.good)
    .map(({ name, some, good: part }) => [
      name,
      String(some.length),
      `${fixed(100 * part, 0)} %`,
      `${share(some, 'loud')} %`,
      `${share(some, 'silent')} %`,
    ]);
}

/** Questions of exports that need none. */
function needless(all: readonly Measured[]): string[][] {
  const asked = all
    .filter(({ choices, verdict }) => verdict === 'answered' && !mustAsk(choices))
    .flatMap(({ asked, seed }) =>
      asked.map((question) => ({ question: question.replace(/values\..*/, ''), seed })),
    );
  return [...Map.groupBy(asked, ({ question }) => question)]
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, 15)
    .map(([question, those]) => [
      question,
      String(those.length),
      those
        .slice(0, 6)
        .map(({ seed }) => seed)
        .join(' '),
    ]);
}

const good = (some: readonly Measured[]) =>
  some.filter(({ verdict }) => verdict === 'right' || verdict === 'answered').length / some.length;

function reasons(all: readonly Measured[], verdict: Verdict): string[][] {
  const some = Map.groupBy(
    all.filter((measured) => measured.verdict === verdict),
    ({ why }) => why.slice(0, 70),
  );
  return [...some]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([why, those]) => [
      why,
      String(those.length),
      those
        .slice(0, 6)
        .map(({ seed }) => seed)
        .join(' '),
    ]);
}
