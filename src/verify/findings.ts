/** Findings of a comparison of many tickets: counts, and a few examples of each kind, in bounded memory. */
import { CHECK_NAMES, type Check, NOT_REPORTED } from './check.ts';

export type Findings = ReturnType<typeof noFindings>;

interface Difference {
  readonly externalId: string;
  readonly ticketId: string;
  readonly detail: string;
}

const EXAMPLES = 5;

export function noFindings() {
  return {
    ...{ compared: 0, equal: 0, different: 0, missingTotal: 0, unreadTotal: 0 },
    missing: [] as Difference[],
    unread: [] as Difference[],
    targetIsUnreadable: false,
    hiddenBy: undefined as { readonly status: number | undefined; readonly detail: string } | undefined,
    checks: CHECK_NAMES.map((name) => {
      return { name, equal: 0, differs: 0, notReported: 0, examples: [] as Difference[] };
    }),
  };
}

export function noteCompared(
  findings: Findings,
  at: Omit<Difference, 'detail'>,
  checks: readonly Check[],
): void {
  findings.compared++;
  findings[checks.every(({ ok }) => ok) ? 'equal' : 'different']++;
  for (const { name, ok, detail } of checks) {
    const found = findings.checks.find((one) => one.name === name);
    if (found === undefined) continue;
    found[ok ? (detail === NOT_REPORTED ? 'notReported' : 'equal') : 'differs']++;
    if (!ok && found.examples.length < EXAMPLES) found.examples.push({ ...at, detail });
  }
}

export function noteUnread(
  findings: Findings,
  at: Omit<Difference, 'detail'>,
  { kind, detail, status }: { kind: 'hidden' | 'failed'; detail: string; status?: number | undefined },
): void {
  const isHidden = kind === 'hidden';
  if (isHidden) findings.hiddenBy ??= { status, detail };
  findings[isHidden ? 'missingTotal' : 'unreadTotal']++;
  const examples = findings[isHidden ? 'missing' : 'unread'];
  const said = isHidden && status === 404 ? 'The helpdesk does not have it.' : detail;
  if (examples.length < EXAMPLES) examples.push({ ...at, detail: said });
}
