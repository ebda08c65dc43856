/** The first pass: looks at every event, sends nothing, and says what sending would do. Memory is bounded whatever is read. */
import type { UsageEventPayload } from '../app-api/usage-event.ts';
import { emptyCounts, type OutcomeCounts } from '../domain/outcome.ts';
import type { ProblemSink } from '../domain/problem.ts';
import { DUPLICATE, type ExaminedUsage } from './usage-examine.ts';
import { createUsagePicker, type UsagePick } from './usage-trial-picks.ts';

export interface UsageSurvey {
  readonly events: OutcomeCounts;
  readonly skippedBecause: readonly { readonly reason: string; readonly count: number }[];
  /** The most frequent first; of events that are valid. */
  readonly names: readonly { readonly name: string; readonly count: number }[];
  /** Names beyond those. */
  readonly namesLeftOut: number;
  /** Distinct customers; a lower bound where there are too many to remember. */
  readonly customers: number;
  readonly customersAreMore: boolean;
  /** UTC ISO-8601, of the oldest and the newest event that is valid. */
  readonly firstAt?: string;
  readonly lastAt?: string;
  /** Events that sending would bring into the target, and the requests that takes at least. */
  readonly toSend: number;
  readonly requests: number;
  readonly trial: readonly UsagePick[];
}

const MOST_NAMES = 1_000;
const MOST_CUSTOMERS = 100_000;

export interface UsageSurveyor {
  take(examined: ExaminedUsage): void;
  result(eventsPerRequest: number): UsageSurvey;
}

export function createUsageSurvey(
  trialSize: number,
  ports: { readonly problem: ProblemSink; readonly fileName: (file: number) => string },
): UsageSurveyor {
  const counts = emptyCounts();
  const reasons = new Map<string, number>();
  const names = new Map<string, number>();
  const customers = new Set<string>();
  const picker = createUsagePicker(trialSize);
  let namesLeftOut = 0;
  let customersAreMore = false;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let toSend = 0;

  const takeEvent = (event: UsageEventPayload, examined: ExaminedUsage) => {
    toSend++;
    const { eventName, customerId } = event;
    if (names.has(eventName) || names.size < MOST_NAMES)
      names.set(eventName, (names.get(eventName) ?? 0) + 1);
    else namesLeftOut++;
    if (customers.size < MOST_CUSTOMERS) customers.add(customerId);
    else if (!customers.has(customerId)) customersAreMore = true;
    if (examined.digest !== undefined)
      picker.offer({ event, digest: examined.digest, atMs: examined.atMs, ref: examined.ref });
  };

  return {
    take(examined) {
      const { outcome, skippedBecause, problems, atMs, event, ref } = examined;
      counts.read++;
      counts[outcome]++;
      if (outcome === 'skipped' && skippedBecause !== undefined)
        reasons.set(skippedBecause, (reasons.get(skippedBecause) ?? 0) + 1);
      if (skippedBecause === DUPLICATE)
        ports.problem({
          severity: 'warning',
          code: 'duplicate-event',
          file: ports.fileName(ref.file),
          line: ref.line,
          field: 'eventId',
          message:
            'An earlier row has the same event id, so this one is not sent: a service counts one of them anyway.',
          count: 1,
        });
      // What is done is done, and what is left out concerns nobody.
      if (outcome !== 'done' && outcome !== 'skipped') for (const found of problems) ports.problem(found);
      if (atMs !== undefined && outcome !== 'skipped' && outcome !== 'rejected') {
        first = Math.min(first, atMs);
        last = Math.max(last, atMs);
      }
      if (event !== undefined) takeEvent(event, examined);
    },
    result: (eventsPerRequest) => ({
      events: { ...counts },
      skippedBecause: [...reasons].map(([reason, count]) => ({ reason, count })),
      names: [...names]
        .map(([name, count]) => ({ name, count }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
      namesLeftOut,
      customers: customers.size,
      customersAreMore,
      ...(first <= last
        ? { firstAt: new Date(first).toISOString(), lastAt: new Date(last).toISOString() }
        : {}),
      toSend,
      requests: Math.ceil(toSend / eventsPerRequest),
      trial: picker.picks(),
    }),
  };
}
