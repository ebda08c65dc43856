/** The marks of people on the tickets of a trial, and its signature: notes of the checkpoint. */
import type { Notebook, TicketRecord } from '../domain/ledger.ts';

/** `saw`: digests of the rows and of the read-back that were on the page. */
export interface Mark {
  readonly verdict: 'right' | 'wrong';
  readonly because: readonly string[];
  readonly words: string;
  readonly who: string;
  readonly at: number;
  /** Differences that were on the page. */
  readonly found: number;
  readonly saw: string;
  /** Digests of the ticket as it was sent. */
  readonly sent?: string | undefined;
}

export interface Signing {
  readonly who?: string | undefined;
  /** External IDs of the trial. */
  readonly of: readonly string[];
  readonly signedAt?: number | undefined;
}

/** The ID of no ticket. */
export const PEOPLE_KEY = '\npeople';
export const TRIAL_KEY = 'trial';

export interface TrialMarks {
  readonly of: number;
  readonly looked: number;
  readonly wrong: readonly {
    readonly externalId: string;
    readonly because: readonly string[];
    readonly words: string;
  }[];
  /** Marked, and sent otherwise since: to look at again. */
  readonly again: readonly string[];
  readonly who: string;
  readonly lastAt?: number | undefined;
  readonly isSigned: boolean;
  /** A run began after a ticket was marked wrong. */
  readonly wentOn: boolean;
}

export function sentDigest(record: TicketRecord | undefined): string | undefined {
  return record?.fingerprints && Object.values(record.fingerprints).join(' ');
}

/** Undefined if the page was never opened. */
export function trialMarks(checkpoint: {
  readonly marks: Pick<Notebook<Mark>, 'get'>;
  readonly signings: Pick<Notebook<Signing>, 'get'>;
  get(externalId: string): TicketRecord | undefined;
  runs(limit: number): readonly { readonly mode: string; readonly startedAt: number }[];
}): TrialMarks | undefined {
  const signing = checkpoint.signings.get(TRIAL_KEY);
  if (signing === undefined) return undefined;
  const all = signing.of.flatMap((externalId) => {
    const mark = checkpoint.marks.get(externalId);
    return mark === undefined ? [] : [{ externalId, ...mark }];
  });
  const isNow = ({ externalId, sent }: (typeof all)[number]) =>
    (sentDigest(checkpoint.get(externalId)) ?? sent) === sent;
  const marks = all.filter(isNow);
  const again = all.filter((mark) => !isNow(mark)).map(({ externalId }) => externalId);
  const wrong = marks.filter(({ verdict }) => verdict === 'wrong');
  const lastAt = all.length === 0 ? undefined : Math.max(...all.map(({ at }) => at));
  const [latest] = checkpoint.runs(1);
  return {
    of: signing.of.length,
    looked: marks.length,
    wrong,
    again,
    who: [...new Set(all.map(({ who }) => who))].join(', '),
    lastAt,
    isSigned: signing.signedAt !== undefined && signing.signedAt >= (lastAt ?? 0) && again.length === 0,
    wentOn: latest?.mode === 'run' && wrong.some(({ at }) => at < latest.startedAt),
  };
}
