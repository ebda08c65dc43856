/** Losses of the import: the list that a support lead signs, and its tables. */
import { type AgentRecord, agentsByPerson, usesOf } from '../domain/decisions.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { Facts } from '../plan/facts.ts';
import { isLost } from '../plan/lost.ts';
import * as b from './blocks.ts';
import { SHOWN } from './run-view.ts';

export function lostBlocks({ mode, tickets, lost, kept, people, export: content }: Facts): b.Block[] {
  const isOver = (mode === 'run' || mode === 'checkpoint') && tickets.pending === 0;
  const lines = lost
    .filter(isLost)
    .map(({ what, remedy }) => (remedy === undefined ? what : `${what}. ${remedy}`));
  return b.blocks(
    b.heading(isOver ? 'What was lost' : 'What will be lost', { id: 'lost' }),
    lines.length > 0
      ? b.list('bullets', lines)
      : b.paragraph(
          content.digest === ''
            ? 'No run has recorded what the export holds.'
            : 'Nothing of the tickets that are imported.',
        ),
    lost.length > lines.length &&
      b.paragraph(
        `Left in the export: ${lost
          .filter((of) => !isLost(of))
          .map(({ what }) => what)
          .join('; ')}.`,
      ),
    people.later > 0 &&
      b.paragraph(`Not known yet: ${countOf(people.later, 'agent is', 'agents are')} looked up at import.`),
    kept.tickets > 0 &&
      b.paragraph(
        `Kept in a note of ${countOf(kept.tickets, 'ticket')}: ${countOf(kept.columns.length, 'column that has', 'columns that have')} no place in the helpdesk.`,
      ),
  );
}

const SENT_AS: Readonly<Record<AgentRecord['how'], b.Span>> = {
  listed: { text: '' },
  found: { text: '' },
  later: { text: 'looked up at import', tone: 'soft' },
  fallback: { text: 'the fallback agent', tone: 'warn' },
  none: { text: 'no agent', tone: 'warn' },
};

function sentAs({ how, id }: AgentRecord): b.Line {
  if (how === 'listed' || how === 'found') return id ?? '';
  return how === 'fallback' && id !== undefined ? [SENT_AS.fallback, ` (${id})`] : SENT_AS[how];
}

function sentAsOf(all: readonly AgentRecord[]): b.Line {
  const [first, ...others] = all;
  if (first === undefined) return '';
  if (others.every(({ how, id }) => how === first.how && id === first.id)) return sentAs(first);
  return all.flatMap((one, at) => [
    at === 0 ? '' : ', ',
    ...[sentAs(one)].flat(),
    ` ${formatCount(usesOf(one))}`,
  ]);
}

/** Nothing if every agent of the export has an ID. */
export function agentBlocks({ people: { agents } }: Facts): b.Block[] {
  const isOpen = ({ how }: AgentRecord) => how !== 'listed' && how !== 'found';
  if (!agents.some(isOpen)) return [];
  const shown = agents.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || usesOf(b) - usesOf(a));
  const uses = (['messages', 'events', 'assigned'] as const).filter((use) =>
    agents.some((one) => one[use] > 0),
  );
  const table = b.table({
    columns: [b.flexible('agent'), ...uses.map(b.counts), b.remark('sent as')],
    rows: agentsByPerson(shown).map((all) => [
      all.find(({ name }) => name !== undefined)?.name ?? all[0]?.agent ?? '',
      ...uses.map((use) => all.reduce((sum, one) => sum + one[use], 0)),
      sentAsOf(all),
    ]),
    most: SHOWN.rows,
  });
  return b.section(b.heading('Agents of the export', { id: 'agents' }), [table]);
}

export function detailBlocks({ details }: Facts): b.Block[] {
  const part = (
    caption: string,
    columns: readonly (b.Column | string)[],
    rows: readonly (readonly (b.Line | number)[])[],
  ) => {
    const countIn = (row: readonly (b.Line | number)[]) =>
      Number(row.find((cell) => typeof cell === 'number'));
    const sorted = rows.toSorted((a, b) => countIn(b) - countIn(a));
    return rows.length > 0 && b.table({ caption, columns, rows: sorted, most: SHOWN.rows });
  };
  const tables = b.blocks(
    part(
      'Unmapped values',
      ['field', b.flexible('value'), b.counts('count'), b.remark('what happens')],
      details.values.map(({ field, value, count, action }) => [field, `"${value}"`, count, action]),
    ),
    part(
      'Unknown authors',
      [b.flexible('author'), b.counts('messages')],
      details.authors.map(({ author, count }) => [author, count]),
    ),
    part(
      'Columns that are not imported',
      [b.flexible('column'), b.counts('values'), b.remark('file')],
      details.columns.map(({ column, filled, file }) => [column, filled, file]),
    ),
  );
  const intro = b.paragraph('Data that the import leaves behind. It stays in the export.', { only: 'page' });
  return b.section(b.heading('Not imported', { id: 'loss' }), tables.length > 0 && [intro, tables]);
}
