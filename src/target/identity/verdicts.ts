/**
 * Is the target the one that the checkpoint lists the tickets of? Told by some of them, read back before anything is sent, and
 * by the name that the target gives its organization. A staging token yesterday and a production token today, a service
 * restored from a backup, an emptied one: none of that shows in the address. Pure.
 */
import { mayBe } from '../../domain/identity.ts';

/** What reading one of our tickets came to. */
export type Reported =
  | { readonly is: 'there'; readonly tags: unknown }
  /** 404, 410. */
  | { readonly is: 'missing' }
  /** It may not be read, or could not be. */
  | { readonly is: 'unknown' };

export type Verdict = 'ours' | 'gone' | 'foreign' | 'unreadable';

/**
 * `tag`: the one that the ticket carries where it was created with its identity; undefined where it may have been created
 * without: then it is ours if it exists and carries nobody else's.
 */
export function verdictOf(reported: Reported, tag: string, mayLackTag: boolean): Verdict {
  if (reported.is === 'missing') return 'gone';
  if (reported.is === 'unknown') return 'unreadable';
  return mayBe(reported.tags, tag, mayLackTag) ? 'ours' : 'foreign';
}

export interface Sample {
  readonly verdict: Verdict;
  /** One of those that were created last, as the runs that ended in order noted it. */
  readonly isLastCreated: boolean;
  /** One of those that were changed last, by the checkpoint's seconds. */
  readonly isLastChanged: boolean;
}

export type Recognition = 'same' | 'unreadable' | 'another' | 'emptied' | 'restored';

/** `listAnswers`: the list of tickets can be read, so that a ticket that is not there is gone, and not hidden. */
export function recognise(samples: readonly Sample[], listAnswers: boolean): Recognition {
  const reported = samples.filter(({ verdict }) => verdict !== 'unreadable');
  if (reported.length === 0) return samples.length === 0 ? 'same' : 'unreadable';
  const has = (verdict: Verdict, among: readonly Sample[] = reported) =>
    among.some((sample) => sample.verdict === verdict);
  if (!has('ours')) {
    if (has('foreign')) return 'another';
    return listAnswers ? 'emptied' : 'unreadable';
  }
  const areLost = (newest: readonly Sample[]) =>
    newest.length > 1 && newest.length < reported.length && !has('ours', newest);
  const isRestored =
    areLost(reported.filter(({ isLastCreated }) => isLastCreated)) ||
    areLost(reported.filter(({ isLastChanged }) => isLastChanged));
  return isRestored ? 'restored' : 'same';
}
