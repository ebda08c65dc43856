/** The result of a run in a few sentences: the first line of screen and report. */

import { countOf, formatCount } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import { checksOf, countOfCode, type Facts } from '../plan/facts.ts';
import { isLost } from '../plan/lost.ts';
import * as b from './blocks.ts';

/** Codes of losses: records that a rule leaves out, and what the export itself lacks. */
const LEFT_OUT = new Set(['copies', 'repeated', 'empty', 'unsent']);
const LACKING = new Set(['answers', 'ends', 'files', 'incomplete']);

interface Headline {
  readonly tone: Extract<b.Tone, 'good' | 'warn' | 'bad'>;
  readonly headline: string;
}

export function verdictBlocks(facts: Facts): b.Block[] {
  const { tone, headline, news } = verdictOf(facts);
  return b.blocks(
    b.heading(headline, { level: 1, tone }),
    news.length > 0 && b.paragraph(news.join(' '), { look: 'lead' }),
    facts.mode === 'dry-run' &&
      b.paragraph('Nothing was sent: this is what an import would do.', { look: 'lead', only: 'page' }),
  );
}

/** `news`: what no count says. A warning spoils a good end. */
export function verdictOf(facts: Facts): Headline & { readonly news: readonly string[] } {
  const { mode, tickets } = facts;
  const head = headlineOf(facts);
  if (mode === 'checkpoint' || mode === 'dry-run')
    return { ...head, news: b.present([facts.isDelta && changesOf(facts), leftOutOf(facts)]) };
  const [changed, older, missing] = [
    countOfCode(facts, 'changed-since-import'),
    countOfCode(facts, 'older-than-imported'),
    countOfCode(facts, 'missing-in-target'),
  ];
  const isIdle = facts.requests.changing === 0 && changed + missing === 0 && tickets.done > 0;
  return {
    ...head,
    tone: head.tone === 'good' && changed + older + missing > 0 ? 'warn' : head.tone,
    news: b.present([
      missing > 0 && 'The helpdesk no longer has all of the imported tickets.',
      changed > 0 &&
        `${countOf(changed, 'ticket')} changed in the export since the import; the changes were not sent.`,
      older > 0 && `This export has an older version of ${countOf(older, 'ticket')}; nothing was changed.`,
      facts.isDelta && changesOf(facts),
      leftOutOf(facts),
      isIdle && 'Already imported; nothing to send.',
    ]),
  };
}

/** Records that a rule drops: drafts, copies. */
function leftOutOf({ lost }: Facts): string | false {
  const rows = lost.filter(({ code }) => LEFT_OUT.has(code));
  return rows.length > 0 && `Left out: ${rows.map(({ what }) => what).join('; ')}.`;
}

/** Like `terraform plan`: what to do, afterwards what was done. */
export function changesOf({ mode, tickets }: Facts, isOver = mode === 'run'): string {
  const { create, update, created, updated, unchanged } = tickets;
  const counted = (count: number, word: string) => `${formatCount(count)} ${word}`;
  return isOver
    ? `${counted(created, 'created')}, ${counted(updated, 'updated')}, ${counted(unchanged, 'unchanged')}.`
    : `${counted(create, 'to create')}, ${counted(update, 'to update')}, ${counted(unchanged, 'unchanged')}.`;
}

/** All is well but for rows that nothing reads, or `--fail-on lost`. */
function headlineOf(facts: Facts): Headline {
  const found = outcomeOf(facts);
  if (found.tone !== 'good') return found;
  const isUnread = facts.lost.some(({ code }) => code === 'unread');
  const isFailed = facts.exitCode === 3 && facts.lost.some(isLost);
  const but = isUnread ? 'Parts of the export are not read.' : isFailed ? 'Something is lost.' : '';
  return but === '' ? found : { tone: 'warn', headline: `${found.headline} ${but}` };
}

function outcomeOf(facts: Facts): Headline {
  const { mode, tickets, exitCode, stopped, export: content } = facts;
  const { read, done, pending } = tickets;
  const missing = tickets.rejected + tickets.failed + tickets.inDoubt;
  const left = read - tickets.skipped;
  const some = (count: number, of: number) =>
    say('{count} of {of|# ticket|# tickets} {count|is|are}', { count, of });
  if (read === 0)
    return {
      tone: 'warn',
      headline: mode === 'checkpoint' ? 'The checkpoint has no tickets yet.' : 'The export has no tickets.',
    };
  if (left === 0) return { tone: 'warn', headline: 'No ticket matches.' };
  if (mode === 'dry-run') {
    if (missing + pending === 0 && done > 0)
      return { tone: 'good', headline: `${allOf(done)} in the helpdesk already.` };
    const isBare = content.withoutMessages > 0 && content.withoutMessages >= pending + done;
    const isPart = !isBare && facts.lost.some(({ code }) => LACKING.has(code));
    const end = b
      .present([
        `ready to import`,
        isPart && say('but the export lacks parts of {pending|it|them}', { pending }),
        isBare && say('{pending|without messages|none of them with messages}', { pending }),
        done > 0 && `${formatCount(done)} in the helpdesk already`,
      ])
      .join(', ');
    if (missing + done === 0)
      return { tone: isBare || isPart ? 'warn' : 'good', headline: `${allOf(pending)} ${end}.` };
    const tone = missing === 0 ? 'good' : pending + done === 0 ? 'bad' : 'warn';
    return { tone, headline: `${some(pending, left)} ${end}.` };
  }
  if (stopped !== undefined || [5, 6, 130, 143].includes(exitCode))
    return { tone: 'bad', headline: `The import stopped early: ${some(done, left)} in the helpdesk.` };
  if (mode === 'trial') {
    const { passed, failed } = checksOf(facts);
    const trial = `The trial of ${countOf(facts.trial?.tickets.length ?? 0, 'ticket')}`;
    if (failed > 0) return { tone: 'bad', headline: `${trial} failed ${countOf(failed, 'check')}.` };
    return exitCode === 0
      ? { tone: 'good', headline: `${trial} passed all ${formatCount(passed)} checks.` }
      : { tone: 'warn', headline: `${trial} finished with problems in the export.` };
  }
  const notUpdated = facts.updates?.notUpdated ?? 0;
  if (notUpdated > 0)
    return {
      tone: 'warn',
      headline: `${some(Math.max(0, done - notUpdated), left)} up to date; ${formatCount(notUpdated)} could not be updated.`,
    };
  // Deleted tickets are imported, and not in the helpdesk.
  const isGone = countOfCode(facts, 'missing-in-target') > 0;
  const where = isGone ? 'imported' : 'in the helpdesk';
  return missing + pending === 0
    ? { tone: 'good', headline: `${allOf(done)} ${where}.` }
    : { tone: 'warn', headline: `${some(done, left)} ${where}.` };
}

function allOf(count: number): string {
  if (count === 1) return 'The one ticket is';
  return count === 2 ? 'Both tickets are' : `All ${countOf(count, 'ticket')} are`;
}
