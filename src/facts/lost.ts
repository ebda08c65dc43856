/** What the import leaves behind, by tickets and then by count. */
import { isUnknownAgent, LEFT_OUT } from '../domain/decisions.ts';
import type { Facts, Loss } from './facts.ts';

const formats = new Intl.NumberFormat('en-US');

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formats.format(count)} ${count === 1 ? one : many}`;
}

function loss(code: Loss['code'], count: number, what: string, remedy?: string): Loss {
  return { code, count, what, ...(remedy !== undefined && { remedy }) };
}

function ofTickets(
  code: Loss['code'],
  tickets: number,
  what: (tickets: number) => string,
  remedy?: string,
): Loss {
  return { ...loss(code, tickets, what(tickets), remedy), tickets };
}

const leftOut: ReadonlySet<string> = new Set(Object.values(LEFT_OUT));

export function lostOf(facts: Omit<Facts, 'lost'>): Loss[] {
  const { tickets, messages, events, contacts, people, attachments, details, problemGroups } = facts;
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const ofCode = (code: string) => problemGroups.filter((group) => group.code === code);
  const gone = people.agents.filter(isUnknownAgent);
  const authors = gone.filter((agent) => agent.messages + agent.events > 0);
  const assigned = sum(gone.map((agent) => agent.assigned));
  const values = sum(details.values.map(({ count }) => count));
  const filled = sum(details.columns.map(({ filled }) => filled));
  const { withoutMessages: bare, withoutStatus } = facts.export;
  const older = sum(ofCode('older-version').map(({ count }) => count));
  const texts = ofCode('unread-text');
  const [host] = attachments.hosts;
  const others = attachments.hosts.length - 1;
  const where =
    host === undefined
      ? 'where they are'
      : `${host.host}${others > 0 ? ` and ${countOf(others, 'other host')}` : ''}`;
  const s = (count: number) => (count === 1 ? '' : 's');
  const all = [
    ofTickets('rejected', tickets.rejected, (all) => `${countOf(all, 'rejected ticket')}, until corrected`),
    ofTickets(
      'failed',
      tickets.failed,
      (all) => `${countOf(all, 'ticket')} that the helpdesk refused or has incomplete, until sent again`,
    ),
    ofTickets('in-doubt', tickets.inDoubt, (all) => `${countOf(all, 'ticket')} in doubt, until settled`),
    ofTickets(
      'conversations',
      bare,
      (all) =>
        `the messages of ${countOf(all, 'ticket')}: the export has none for ${all === 1 ? 'it' : 'them'}`,
      'Export the conversations too, if the platform has them.',
    ),
    ofTickets(
      'status',
      withoutStatus,
      (all) => `the status of ${countOf(all, 'ticket')}: none in the export → open`,
      'Map status, if a column has it.',
    ),
    ofTickets(
      'assignees',
      assigned,
      (all) => `the assignee${s(all)} of ${countOf(all, 'ticket')}, which will be unassigned`,
    ),
    // `--files` fetches them.
    facts.files === undefined && {
      ...{ code: 'links' as const, count: attachments.links, tickets: attachments.tickets },
      what: `${countOf(attachments.links, 'attachment')} in ${countOf(attachments.tickets, 'ticket')} ${attachments.links === 1 ? 'stays a link' : 'stay links'} to ${where}, and ${attachments.links === 1 ? 'ends' : 'end'} with the account there`,
      remedy: 'Keep the files with --files.',
    },
    loss('older', older, `${countOf(older, 'older version')} of tickets: the latest is imported`),
    loss('missing', attachments.missing, `${countOf(attachments.missing, 'file')} that could not be fetched`),
    ...texts.map(({ count, example }) => {
      const said = example.message.replace(/ (?:is|are) not used\..*$/, '');
      return loss('texts', count, `texts that nothing reads: ${said}`);
    }),
    loss(
      'columns',
      filled,
      `${countOf(details.columns.length, 'column')} with ${countOf(filled, 'value')}`,
      'Set unmapped: note to keep them in a note of their tickets.',
    ),
    ...details.notHeld.map(({ what, count }) =>
      loss(leftOut.has(what) ? 'left-out' : 'not-held', count, `${what}: ${formats.format(count)}`),
    ),
    loss(
      'values',
      values,
      `${countOf(details.values.length, 'unmapped value')} in ${countOf(values, 'place')}`,
    ),
    loss(
      'agents',
      sum(authors.map((agent) => agent.messages + agent.events)),
      `the name${s(authors.length)} of ${countOf(authors.length, 'agent')} without an agent ID`,
      'List them under agents in the settings file.',
    ),
    loss(
      'authors',
      sum(details.authors.map(({ count }) => count)),
      `the roles of ${countOf(details.authors.length, 'author')}`,
    ),
    loss(
      'orphans',
      messages.orphans + events.orphans,
      `${countOf(messages.orphans, 'message')} and ${countOf(events.orphans, 'event')} whose ticket is not in the export`,
    ),
    loss('names', contacts.merged, `older names of ${countOf(contacts.merged, 'contact')}`),
    loss(
      'unreachable',
      attachments.unreachable,
      `${countOf(attachments.unreachable, 'attachment')} that cannot be opened`,
    ),
  ];
  return all
    .filter((one) => one !== false)
    .filter(({ count }) => count > 0)
    .sort((a, b) => (b.tickets ?? 0) - (a.tickets ?? 0) || b.count - a.count);
}
