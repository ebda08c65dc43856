/** A report made smaller: less of each list and of each conversation, and what is left out counted. Pure. */
import { type Conversation, type ConversationEntry, FIRST, LAST, shortened } from './conversation.ts';
import type { Excerpt, ReportData } from './report-data.ts';

export interface Size {
  /** Of each list. */
  readonly rows: number;
  /** Of each conversation: messages and events. */
  readonly entries: number;
  /** Of each body. */
  readonly characters: number;
}

export function fitReport(data: ReportData, size: Size): ReportData {
  if (!Number.isFinite(size.rows)) return data;
  const { problems, mergedContacts, trial } = data;
  const few = <T>({ rows, total }: Excerpt<T>): Excerpt<T> => ({ rows: rows.slice(0, size.rows), total });
  return {
    ...data,
    mostRows: size.rows,
    inDoubt: few(data.inDoubt),
    failed: few(data.failed),
    runs: data.runs.slice(0, size.rows),
    checkpoints: data.checkpoints.slice(0, size.rows),
    mergedContacts: mergedContacts && few(mergedContacts),
    problems: problems && {
      ...problems,
      groups: {
        rows: problems.groups.rows
          .slice(0, size.rows)
          .map((group) => ({ ...group, examples: group.examples.slice(0, size.entries) })),
        total: problems.groups.total,
      },
    },
    trial: trial && { ...trial, tickets: trial.tickets.slice(0, size.rows) },
    conversations: data.conversations.slice(0, size.rows).map((conversation) => fitted(conversation, size)),
  };
}

function fitted(conversation: Conversation, { entries: most, characters }: Size): Conversation {
  const { entries } = conversation;
  const first = entries.slice(0, Math.min(FIRST, Math.ceil((most * 2) / 3)));
  const last = entries.slice(Math.max(first.length, entries.length - Math.min(LAST, Math.floor(most / 3))));
  const left = entries.slice(first.length, entries.length - last.length);
  const missing = left.reduce((sum, entry) => sum + (entry.kind === 'gap' ? entry.entries : 1), 0);
  const gap: ConversationEntry[] = missing === 0 ? [] : [{ kind: 'gap', entries: missing }];
  return {
    ...conversation,
    entries: [...first, ...gap, ...last].map((entry) =>
      entry.kind === 'message' ? shortened(entry, characters) : entry,
    ),
  };
}
