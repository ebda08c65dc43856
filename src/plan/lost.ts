/** What the import leaves behind, by tickets and then by count. */
import { isUnknownAgent, LEFT_OUT } from '../domain/decisions.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { Facts, Loss } from './facts.ts';

const leftOut: ReadonlySet<string> = new Set(Object.values(LEFT_OUT));

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

/** Names that no one can have (RFC 2606). */
const EXAMPLE = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid)$/;

export function lostOf(facts: Omit<Facts, 'lost'>): Loss[] {
  const { tickets, messages, events, contacts, people, attachments, details, problemGroups } = facts;
  const { withoutMessages: bare, withoutStatus } = facts.export;
  const isOver = facts.mode === 'run' || facts.mode === 'checkpoint';
  const gone = people.agents.filter(isUnknownAgent);
  const authors = gone.filter((agent) => agent.messages + agent.events > 0);
  const assigned = sum(gone.map((agent) => agent.assigned));
  const rejected = countOf(tickets.rejected, 'rejected ticket');
  const roles = sum(details.authors.map(({ count }) => count));
  const values = sum(details.values.map(({ count }) => count));
  const filled = sum(details.columns.map(({ filled }) => filled));
  const ofCode = (code: string) => problemGroups.filter((group) => group.code === code);
  const unmet = sum(ofCode('incomplete-thread').map(({ count }) => count));
  const { links, hosts, missing, unreachable } = attachments;
  const others = hosts.length > 1 ? ` and ${countOf(hosts.length - 1, 'other host')}` : '';
  const where = hosts[0] === undefined ? 'where they are' : `${hosts[0].host}${others}`;
  const linked = countOf(attachments.tickets, 'ticket');
  const loss = (code: string, count: number, what: string, remedy?: string): Loss => ({
    ...{ code, count, what },
    ...(remedy !== undefined && { remedy }),
  });
  const ofTickets = (...[code, count, what, remedy]: Parameters<typeof loss>): Loss => {
    return { ...loss(code, count, what, remedy), tickets: count };
  };
  return [
    ofTickets('rejected', tickets.rejected, `${rejected}, until corrected`),
    ofTickets(
      'failed',
      tickets.failed,
      `${countOf(tickets.failed, 'ticket')} that the helpdesk refused or has incomplete, until sent again`,
    ),
    ofTickets('in-doubt', tickets.inDoubt, `${countOf(tickets.inDoubt, 'ticket')} in doubt, until settled`),
    ofTickets(
      'conversations',
      bare,
      `the messages of ${countOf(bare, 'ticket')}: the export has none for ${bare === 1 ? 'it' : 'them'}`,
      'Export the conversations too, if the platform has them.',
    ),
    ofTickets(
      'status',
      withoutStatus,
      `the status of ${countOf(withoutStatus, 'ticket')}: none in the export → open`,
      'Map status, if a column has it.',
    ),
    ofTickets(
      'assignees',
      assigned,
      `the assignee${assigned === 1 ? '' : 's'} of ${countOf(assigned, 'ticket')}, which ${isOver ? (assigned === 1 ? 'is' : 'are') : 'will be'} unassigned`,
    ),
    {
      ...loss(
        'links',
        // `--files` fetches them, and hosts of examples end with no account.
        facts.files === undefined && !hosts.every(({ host }) => EXAMPLE.test(host)) ? links : 0,
        links === 1
          ? `1 attachment in ${linked} stays a link to ${where}, and ends with the account there`
          : `${formatCount(links)} attachments in ${linked} stay links to ${where}, and end with the account there`,
        'Keep the files with --files.',
      ),
      tickets: attachments.tickets,
    },
    loss(
      'replaced',
      sum(ofCode('text-replaced').map(({ count }) => count)),
      'texts of messages that the export has entirely different now',
    ),
    loss(
      'incomplete',
      unmet,
      `the rest of ${countOf(unmet, 'thread or list', 'threads or lists')}, of which the export says that it has more`,
      'Export it again, completely.',
    ),
    loss('missing', missing, `${countOf(missing, 'file')} that could not be fetched`),
    ...ofCode('unread-text').map(({ count, example }) => {
      const said = example.message.replace(/ (?:is|are) not used\..*$/, '');
      return loss('texts', count, `texts that nothing reads: ${said}`);
    }),
    loss(
      'columns',
      filled,
      `${countOf(details.columns.length, 'column')} with ${countOf(filled, 'value')}`,
      ofCode('unused-column').length === 0
        ? undefined
        : 'Without unmapped: drop, a note of their tickets keeps them.',
    ),
    ...details.notHeld.map(({ what, count }) =>
      loss(leftOut.has(what) ? 'left-out' : 'not-held', count, `${what}: ${formatCount(count)}`),
    ),
    loss(
      'values',
      values,
      `${countOf(details.values.length, 'unmapped value')} in ${countOf(values, 'place')}`,
    ),
    loss(
      'agents',
      sum(authors.map((agent) => agent.messages + agent.events)),
      `the ${authors.length === 1 ? 'name' : 'names'} of ${countOf(authors.length, 'agent')} without an agent ID`,
      'List them under agents in the settings file.',
    ),
    loss('authors', roles, `the roles of ${countOf(details.authors.length, 'author')}`),
    loss(
      'orphans',
      messages.orphans + events.orphans,
      `${countOf(messages.orphans, 'message')} and ${countOf(events.orphans, 'event')} whose ticket is not in the export`,
    ),
    loss('names', contacts.merged, `older names of ${countOf(contacts.merged, 'customer')}`),
    loss('unreachable', unreachable, `${countOf(unreachable, 'attachment')} that cannot be opened`),
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => (b.tickets ?? 0) - (a.tickets ?? 0) || b.count - a.count);
}
