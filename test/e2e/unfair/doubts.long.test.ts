/**
 * Creates of unknown outcome, of which some happened, some happened late and some never, on targets that show and keep their
 * tickets in every way that was found to deceive an import.
 */
import { describe, expect, it } from 'vitest';
import { hurried } from '../../support/hurried-clock.ts';
import type { Behaviour, HeldTicket, Json, UnfairWays } from '../../support/unfair-target.ts';
import { expectHonest, exportTickets, quiet, unfairly } from './unfair-run.ts';

/** Repeated searches wait longer each time: the program's clock runs this many times as fast. */
const SPEED = 15;
/** Seconds of that clock. */
const TIMEOUT = 8;
/** Later than the time-out, and before the margin is over as well. */
const LATE_MS = 9_000 / SPEED;
const LAG_MS = 3_000 / SPEED;
const BEHAVIOURS: Readonly<Record<number, Behaviour>> = {
  3: { reported: { status: 504, body: '<html>Gateway Time-out</html>', type: 'text/html' }, effect: 'now' },
  5: { reported: 'reset', effect: 'never' },
  7: { reported: 'silence', effect: LATE_MS },
  9: { reported: { status: 503, headers: { 'retry-after': '1' } }, effect: LATE_MS },
  11: { reported: { status: 408 }, effect: 'now' },
  12: { reported: { status: 409, body: '<html>busy</html>', type: 'text/html' }, effect: 'never' },
  13: { reported: 'close', effect: LATE_MS },
  14: { reported: { status: 425 }, effect: 'now' },
};
const doubtful = (nth: number) => BEHAVIOURS[nth];

const text = (change: (text: string) => string) => (body: Json) => ({
  ...body,
  subject: change(String(body['subject'])),
});
const tags = (change: (tags: string[]) => string[] | undefined) => (body: Json) => ({
  ...body,
  tags: change((body['tags'] ?? []) as string[]),
});
const merged = (body: Json) => ({ ...body, contact: { email: 'customer0@example.com' } });
const rounded = (seconds: number) => (body: Json) => ({
  ...body,
  createdAt: new Date(
    Math.floor(Date.parse(String(body['createdAt'])) / (seconds * 1000)) * seconds * 1000,
  ).toISOString(),
});
const escaped = text((subject) =>
  subject.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
);
const byArrival = (all: readonly HeldTicket[]) => [...all].sort((one, other) => one.madeAt - other.madeAt);

const TARGETS: readonly (readonly [name: string, ways: UnfairWays])[] = [
  ['is fair otherwise', {}],
  ['tells no totals', { total: false }],
  [
    'has a list that lags by three seconds',
    { shown: (all, now) => all.filter(({ madeAt }) => madeAt < now - LAG_MS) },
  ],
  ['has a list without the three newest', { shown: (all) => byArrival(all).slice(0, -3) }],
  [
    'has a list that hides every third ticket and tells no totals',
    { total: false, shown: (all) => all.filter(({ id }) => Number(id.slice(4)) % 3 > 0) },
  ],
  [
    'has a list that hides closed tickets and tells no totals',
    { total: false, shown: (all) => all.filter(({ kept }) => kept['status'] !== 'closed') },
  ],
  ['has a list that shows nothing', { shown: () => [] }],
  ['cannot be read', { read: () => 404 }],
  ['ignores every filter', { tagsFilter: false, searchFilter: false }],
  ['folds the case of tags', { keep: tags((all) => all.map((tag) => tag.toLowerCase())) }],
  [
    'alters all of it',
    {
      keep: (body) => merged(rounded(86_400)(escaped(text((subject) => subject.slice(0, 20))(body)))),
    },
  ],
];

/**
 * A helpdesk that counts its tickets and shows all of them in the end leaves nothing for a person to settle.
 */
const SETTLED: readonly string[] = [
  'is fair otherwise',
  'has a list that lags by three seconds',
  'folds the case of tags',
];

const pace = () => ({ clock: hurried(SPEED), timeout: TIMEOUT });

describe('a helpdesk that leaves creates in doubt', () => {
  it.concurrent.for(TARGETS)(
    'and %s: nothing twice, 0 only if everything arrived, and 4 if a person has to look',
    { timeout: 120_000 },
    async ([name, ways]) => {
      await unfairly(
        { ...ways, create: doubtful },
        async (run) => {
          const tickets = exportTickets(16);
          run.write(tickets);
          expectHonest(run.target, tickets, await run.run());
          await quiet(run.target);
          // As advised, the same command is run again.
          let last = await run.run();
          expectHonest(run.target, tickets, last);
          if (!SETTLED.includes(name)) return;
          last = await run.run();
          expectHonest(run.target, tickets, last);
          expect(last, last.stderr).toMatchObject({ code: 0, tickets: { done: 16 } });
        },
        pace(),
      );
    },
  );
});
