/** Rules for all messages of a ticket: its own text, threads in lists or tables, repeated columns, the answer. */
import type { MessageRule, PersonRule } from '../../layouts/language.ts';
import type { Thread } from './find-threads.ts';
import { timeBeside } from './find-times.ts';
import type { ProposalDraft } from './proposal-draft.ts';
import { contentType, proposeMessage } from './propose-messages.ts';
import { personColumns } from './propose-people.ts';

export function messageRules(draft: ProposalDraft, requester: PersonRule | undefined): MessageRule[] {
  const { description, answer, threads, repeated } = draft.threads;
  const rules: MessageRule[] = [];
  if (description !== undefined) {
    draft.use(description);
    const type = contentType(description);
    rules.push({
      content: description.path,
      ...(type === undefined ? {} : { contentType: type }),
      ...(threads.length > 0 || repeated !== undefined ? { use: 'unless-repeated' as const } : {}),
      ...(draft.times.createdAt === undefined ? {} : { occurredAt: draft.times.createdAt.path }),
      actorType: { const: requester === undefined ? 'system' : 'customer' },
      author: requester ?? {},
    });
    if (requester === undefined)
      draft.notes.comment(
        ['messages', 0, 'actorType'],
        'The export does not say who asked, and a message of a customer needs an address.',
      );
  }
  for (const thread of threads) rules.push(threadRule(draft, thread, rules.length));
  if (repeated !== undefined)
    rules.push({
      columns: repeated.header,
      ...(repeated.parts
        ? {
            parts: { by: ';', names: ['at', 'author', 'text'] },
            content: 'text',
            occurredAt: 'at',
            author: { id: 'author' },
          }
        : { content: '.', author: {} }),
    });
  if (answer !== undefined) {
    const times = [timeBeside(answer, draft.columns), draft.times.resolvedAt, draft.times.closedAt];
    const paths = [...new Set(times.flatMap((column) => (column === undefined ? [] : [column.path])))];
    const assignee = personColumns('assignee', draft.columns);
    rules.push({
      content: answer.path,
      ...(paths.length === 0 ? {} : { occurredAt: paths.length === 1 ? (paths[0] ?? []) : paths }),
      actorType: { const: 'agent' },
      author: assignee === undefined ? {} : draft.people.rule(draft.ticket.index, undefined, assignee),
    });
    draft.notes.comment(
      ['messages', rules.length - 1, 'content'],
      `"${answer.path}" is taken for the last answer of the team.`,
    );
  }
  return rules;
}

function threadRule(draft: ProposalDraft, thread: Thread, index: number): MessageRule {
  const { scope, columns, table } = thread;
  const { author, role, content, time } = columns;
  const place =
    scope.list !== undefined
      ? { each: scope.list }
      : table === undefined
        ? {}
        : { from: draft.nameOf(thread) };
  if (table === undefined) draft.use(content, time);
  const filled = role?.kind === 'filled' ? role.columns.map(({ column }) => column.path) : undefined;
  const handle = filled === undefined ? undefined : filled.length === 1 ? filled[0] : filled;
  const person =
    handle !== undefined
      ? { id: handle, name: handle }
      : author === undefined
        ? undefined
        : draft.people.rule(table ?? draft.ticket.index, scope.list, author);
  return proposeMessage(scope, columns, place, person, ['messages', index], draft.notes);
}
