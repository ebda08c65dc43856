/** Who asked, where the ticket says it, and where only its messages do. */
import type { Expression } from '../../layouts/expression-language.ts';
import type { PersonRule } from '../../layouts/language.ts';
import { fillRate } from './concepts.ts';
import type { Thread } from './find-threads.ts';
import type { ProposalDraft } from './proposal-draft.ts';
import { isCustomers } from './propose-messages.ts';

const WROTE_FIRST = 'The ticket itself does not say who asked: it is the first customer who wrote.';

export function requesterRule(draft: ProposalDraft): PersonRule | undefined {
  const columns = draft.requester;
  const [thread] = draft.threads.threads;
  const inGroup = draft.ticket.key.role === 'group' && thread !== undefined;
  const inThread = inGroup && (columns?.email === undefined || thread.columns.role !== undefined);
  if (columns !== undefined && !inThread) {
    draft.use(columns.id, columns.email);
    return draft.people.rule(draft.ticket.index, undefined, columns);
  }
  return thread === undefined ? undefined : firstCustomer(draft, thread);
}

/** The author of the first message of a customer, where the ticket itself does not say who asked. */
function firstCustomer(draft: ProposalDraft, thread: Thread): PersonRule | undefined {
  const { role, author } = thread.columns;
  const filled =
    role?.kind === 'filled'
      ? role.columns.filter((entry) => entry.role === 'customer').map(({ column }) => column.path)
      : [];
  const customers = isCustomers(role);
  const pick = (get: Expression): Expression => {
    const where = customers === undefined ? {} : { where: customers };
    if (thread.scope.list !== undefined) return { each: thread.scope.list, ...where, take: 'first', get };
    if (thread.table === undefined && customers === undefined) return get;
    return { rows: draft.nameOf(thread), ...where, take: 'first', get };
  };
  if (filled.length > 0) {
    const handle: Expression = pick(filled.length === 1 ? (filled[0] ?? '') : filled);
    draft.notes.comment(['ticket', 'requester'], WROTE_FIRST);
    return { id: handle, name: handle };
  }
  // authors only of agents' messages (an agent's address): customers are known by their ticket
  const customersNamed =
    author !== undefined &&
    (customers === undefined || Object.values(author).some((column) => fillRate(column.profile) > 0.95));
  if (!customersNamed || author === undefined) {
    if (role === undefined) return undefined;
    draft.notes.comment(
      ['ticket', 'requester'],
      'The export does not name the customers: each ticket has one of its own.',
    );
    return { id: draft.ticket.key.column.path };
  }
  draft.notes.comment(['ticket', 'requester'], WROTE_FIRST);
  const { id, email, name } = author;
  const who = id ?? (email === undefined ? name : undefined);
  return {
    ...(who === undefined ? {} : { id: pick(who.path) }),
    ...(email === undefined ? {} : { email: pick(email.path) }),
    ...(name === undefined ? {} : { name: pick(name.path) }),
  };
}
