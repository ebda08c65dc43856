/**
 * What a report shows and a run does not keep: how long threads are, how long tickets took, the contacts with several
 * names, and the sample conversations. Found in one more pass over the export, only when a report is asked for. Constant
 * memory: of each sample the cut conversation is kept and not the ticket, and of the contacts those with most names.
 */
import type { TrialPick } from '../../domain/survey.ts';
import { type ExaminedTicket, examineExport } from '../../import/examine.ts';
import type { ImportJob } from '../../import/import-job.ts';
import {
  completionDistribution,
  type Distribution,
  messageDistribution,
} from '../../present/html/chart-data.ts';
import { type Conversation, conversationOf } from '../../present/html/conversation.ts';
import { type Excerpt, type MergedContact, SHOWN } from '../../present/html/report-data.ts';

export interface ReportDetails {
  readonly threads: Distribution;
  readonly completion: Distribution;
  readonly mergedContacts: Excerpt<MergedContact>;
  /** In the order of the picks; a pick may be missing where it could not be read. */
  readonly conversations: readonly Conversation[];
}

/** Rejects with the signal's reason when it aborts. */
export async function gatherDetails(
  job: Pick<ImportJob, 'source' | 'settings' | 'names' | 'check'>,
  picks: readonly TrialPick[],
  signal: AbortSignal,
): Promise<ReportDetails> {
  const { source, names } = job;
  const threads = messageDistribution();
  const completion = completionDistribution();
  const why = new Map(picks.map((pick) => [pick.externalId, pick.why] as const));
  const found = new Map<string, Conversation>();
  // The export has been mapped before, so all of them are known.
  const agentNames = source.mapper.agentNames();

  const take = ({ result, skippedBecause }: ExaminedTicket) => {
    const { checked } = result;
    if (skippedBecause !== undefined || checked === undefined) return;
    const { createdAt, resolvedAt, closedAt } = checked.ticket;
    threads.add(checked.messages.length);
    const end = resolvedAt ?? closedAt;
    if (end !== undefined) completion.add(Date.parse(end) - Date.parse(createdAt));
    const reasons = why.get(checked.externalId);
    if (reasons !== undefined && !found.has(checked.externalId))
      found.set(
        checked.externalId,
        conversationOf(
          checked,
          reasons,
          (email) => names.nameOf(email),
          (agentId) => agentNames.get(agentId),
        ),
      );
  };

  for await (const chunk of examineExport(job, signal))
    for (const examined of chunk) if (examined.kind === 'ticket') take(examined);
  return {
    threads: threads.result(),
    completion: completion.result(),
    mergedContacts: mostNames(names.merged()),
    conversations: picks.flatMap(({ externalId }) => found.get(externalId) ?? []),
  };
}

/** Those with the most names, by address where they have as many. */
export function mostNames(
  contacts: Iterable<MergedContact>,
  most = SHOWN.mergedContacts,
): Excerpt<MergedContact> {
  let kept: MergedContact[] = [];
  let total = 0;
  const trim = () => {
    kept = kept.toSorted((a, b) => b.names - a.names).slice(0, most);
  };
  for (const contact of contacts) {
    total++;
    kept.push(contact);
    if (kept.length >= most * 4) trim();
  }
  trim();
  return { rows: kept, total };
}
