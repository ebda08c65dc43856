/** Fields that came out empty although a column is called as if it could fill them. */
import type { UnreadColumn } from '../domain/survey.ts';
import { baseName, type Finding, many } from '../findings/finding.ts';
import type { FilledFields } from '../findings/watch-tickets.ts';
import { CONCEPT_WORDS, CONTRARY_WORDS, PERSON_WORDS } from './concept-words.ts';
import { nameScore } from './propose/concepts.ts';

/** So surely the name must mean the field. */
const SURE = 0.8;

export function unreadFields(columns: readonly UnreadColumn[], filled: FilledFields): Finding[] {
  if (filled.tickets === 0) return [];
  const named = (meaning: Readonly<Record<string, number>>, contrary?: readonly string[]) =>
    columns.find(
      ({ column, filled: rows }) =>
        rows >= Math.max(2, 0.2 * filled.tickets) && nameScore(column, meaning, contrary) >= SURE,
    );
  const empty = (['status', 'priority', 'tags', 'subject'] as const).filter(
    (field) => filled[field] < 0.05 * filled.tickets,
  );
  const found = empty.flatMap((field): Finding[] => {
    const column = named(CONCEPT_WORDS[field], CONTRARY_WORDS[field]);
    return column === undefined ? [] : [unreadField(field, column)];
  });
  const people = [
    ['requester', PERSON_WORDS.requester, filled.contact],
    ['assignee', PERSON_WORDS.assignee, filled.assignee],
  ] as const;
  for (const [field, words, count] of people) {
    const column = count >= 0.05 * filled.tickets ? undefined : named(words);
    if (column !== undefined) found.push(unreadField(field, column));
  }
  if (filled.messages > 0 && filled.visibility === 0) {
    const column = named(CONCEPT_WORDS.internal, CONTRARY_WORDS.internal);
    if (column !== undefined)
      found.push({
        code: 'unread-visibility',
        message: `Every message is public, and nothing reads the column "${column.column}" of ${baseName(column.file)}, which may mark internal notes.`,
        setting: 'mapping.messages',
      });
  }
  return found;
}

type Field = NonNullable<Finding['unread']>['field'];

function unreadField(field: Field, { column, file, filled }: UnreadColumn): Finding {
  const words =
    field === 'tags' ? 'The tags of nearly all tickets are' : `The ${field} of nearly all tickets is`;
  return {
    code: 'unread-field',
    message: `${words} empty, and nothing reads the column "${column}" of ${baseName(file)} (filled in ${many(filled, 'row')}).`,
    setting: `mapping.ticket.${field}`,
    unread: { field, column },
  };
}
