/** What must hold at the end of every simulation, whatever happened in it. Pure. */
import { UNDONE_TAG } from '../../src/domain/identity.ts';
import { TICKET_FIELDS } from '../../src/domain/ticket-fields.ts';
import type { Ticket } from '../support/helpdesk.ts';
import { BY_PEOPLE, type PeopledHelpdesk } from './people.ts';
import { NOTE, type Simulated } from './simulate.ts';

/** Each broken promise: its kind, and the case. */
export function brokenIn(simulated: Simulated): string[] {
  return [
    ...people(simulated),
    ...once(simulated),
    ...arrived(simulated),
    ...named(simulated),
    ...settled(simulated),
  ];
}

/** Nothing that a person wrote, edited, deleted or changed is gone. */
function people({ helpdesk }: Simulated): string[] {
  return helpdesk.done.flatMap(({ ticket, kind, what, before }) => {
    const texts = ticket.messages.map(({ content }) => content);
    const { tags = [], status } = ticket.payload;
    const isKept = {
      answer: () => texts.filter((text) => text === what).length === 1,
      edit: () => texts.includes(what),
      delete: () => !texts.includes(before ?? ''),
      close: () => status === 'closed',
      tag: () => tags.includes(what),
      priority: () => ticket.payload.priority === what,
      link: () => texts.filter((text) => text.includes(what)).length === 1,
      file: () => ticket.messages.some(({ attachments = [] }) => attachments.some(({ url }) => url === what)),
      name: () => nameOf(helpdesk, ticket) === lastNameOf(helpdesk, ticket),
    }[kind]();
    return isKept ? [] : [`person: ${kind} in ${ticket.id} is gone: ${what}`];
  });
}

const emailOf = ({ payload }: Ticket) => payload.contact?.email ?? '';
const nameOf = ({ contacts }: PeopledHelpdesk, ticket: Ticket) => contacts.get(emailOf(ticket));
const lastNameOf = ({ done }: PeopledHelpdesk, ticket: Ticket) =>
  done.findLast((each) => each.kind === 'name' && emailOf(each.ticket) === emailOf(ticket))?.what;

/** No ticket is there twice, unless the network made it so and a run named it; and no other ticket was written to. */
function once({ helpdesk, exports, log, ends }: Simulated): string[] {
  const isNamed = ends.some(({ said }) =>
    said.some(({ code }) => code === 'duplicate-in-target' || code === 'several-matches'),
  );
  const twice = (exports[0] ?? []).flatMap(({ externalId }) => {
    const there = helpdesk
      .ours()
      .filter(
        ({ payload }) =>
          payload.subject === `Subject of ${externalId}` && payload.tags?.includes(UNDONE_TAG) !== true,
      );
    const isExcused = isBeyondKnowing(log, helpdesk) && (isNamed || helpdesk.ways.total === 'none');
    return there.length > 1 && !isExcused ? [`twice: ${externalId} is ${there.map(({ id }) => id)}`] : [];
  });
  return [...twice, ...helpdesk.trespasses.map((what) => `trespass: ${what}`)];
}

/** A ticket that the helpdesk lacks by its own proof is created, and none of unknown outcome is sent again and again. */
function settled({ schedule, ends }: Simulated): string[] {
  const [first] = ends;
  return [
    ...(schedule.isProvable === true && first?.exitCode !== 0 ? [`unsettled: exit ${first?.exitCode}`] : []),
    ...ends.flatMap(({ mostCreates = 0 }) => (mostCreates > 3 ? [`again: ${mostCreates} creates`] : [])),
  ];
}

/** Every ticket that is done reads as the export that its record names. */
function arrived({ helpdesk, exports, records, ends }: Simulated): string[] {
  const broken: string[] = [];
  for (const { externalId, state, ticketId, fingerprints } of records) {
    if (state !== 'done') continue;
    const ticket = helpdesk.tickets.get(ticketId ?? '');
    const versions = exports.flat().filter((each) => each.externalId === externalId);
    const ours = versions.find((each) => each.fingerprints.messages === fingerprints?.messages);
    if (ticket === undefined || ours === undefined) {
      broken.push(`arrived: ${externalId} is done as ${ticketId}, which is no version of it`);
      continue;
    }
    const texts = ticket.messages.map(({ content }) => content);
    const ofPeople = helpdesk.done.filter((each) => each.ticket === ticket);
    const taken = new Set(ofPeople.map(({ before }) => before?.replace(/version \d/, '')));
    // Sent and not recorded before a kill, and other in a newer export: it counts as edited, which a run says.
    if (
      ends.some(({ said }) =>
        said.some((each) => each.ticket === externalId && each.code === 'edited-in-target'),
      )
    )
      continue;
    const own = new Set(['Ticket created.', NOTE.content, ...ofPeople.map(({ what }) => what)]);
    for (const { content, isInternal, actorType } of ours.messages) {
      if (taken.has(content.replace(/version \d/, ''))) continue;
      const [message, ...more] = ticket.messages.filter((each) => each.content === content);
      if (message === undefined || more.length > 0)
        broken.push(`arrived: ${externalId} has ${more.length + (message ? 1 : 0)} of "${content}"`);
      else if (message.isInternal !== isInternal || message.actorType !== actorType)
        broken.push(`arrived: ${externalId} "${content}" differs`);
    }
    const wanted = new Set(ours.messages.map(({ content }) => content));
    for (const { content, occurredAt } of versions[0]?.messages ?? [])
      if (!ours.messages.some((each) => each.occurredAt.slice(14) === occurredAt.slice(14))) own.add(content);
    for (const text of texts)
      if (!wanted.has(text) && !own.has(text) && !text.includes(BY_PEOPLE))
        broken.push(`arrived: ${externalId} still has "${text}"`);
    const events = versions.find((each) => each.fingerprints.events === fingerprints?.events)?.events ?? [];
    const times = ticket.events.map(({ occurredAt }) => occurredAt);
    const lost = events.filter(({ occurredAt }) => !times.includes(occurredAt));
    if (lost.length > 0) broken.push(`arrived: ${externalId} lacks ${lost.length} events`);
    const fields = versions.find((each) => each.fingerprints.ticket === fingerprints?.ticket)?.ticket;
    if (
      ofPeople.length === 0 &&
      TICKET_FIELDS.some((field) => JSON.stringify(fields?.[field]) !== JSON.stringify(ticket.payload[field]))
    )
      broken.push(`arrived: fields of ${externalId} are ${JSON.stringify(ticket.payload)}`);
  }
  return broken;
}

/** After quiet reruns every ticket is done, or named with a reason, and the exit code says so. */
function named({ helpdesk, ends, records, exports, log }: Simulated): string[] {
  const last = ends.at(-1);
  if (last === undefined) return ['named: nothing ran'];
  const doubts = ends.flatMap(({ died, tooMany }) =>
    tooMany ? [`doubts: more than were on their way, ${died}`] : [],
  );
  const open = (exports[0] ?? []).flatMap(({ externalId }) => {
    const record = records.find((each) => each.externalId === externalId);
    return record?.state === 'done' ||
      last.said.some((each) => each.ticket === externalId && each.code === 'another')
      ? []
      : [{ externalId, state: record?.state ?? 'unknown', problem: record?.problem }];
  });
  const broken = open.flatMap(({ externalId, state, problem }) =>
    problem === undefined && last.stoppedBy === undefined
      ? [`named: ${externalId} is ${state} without a reason`]
      : [],
  );
  if (last.exitCode === 0 && open.length > 0) broken.push(`exit: 0 with ${open.length} open`);
  if (last.stoppedBy !== undefined && !isBeyondKnowing(log, helpdesk))
    broken.push(`stopped: ${last.stoppedBy.code} ${last.stoppedBy.message}`);
  for (const { externalId, state, fingerprints } of last.mode === 'delta' ? records : []) {
    const now = exports[1]?.find((each) => each.externalId === externalId)?.fingerprints;
    const isOld = (['ticket', 'messages', 'events'] as const).some(
      (part) => fingerprints?.[part] !== now?.[part],
    );
    if (
      state === 'done' &&
      isOld &&
      last.stoppedBy === undefined &&
      !last.said.some((each) => each.ticket === externalId)
    )
      broken.push(`silent: ${externalId} is done as in an older export`);
  }
  // Nobody deletes a ticket here, or takes its tags away.
  for (const { ticket, code } of ends.flatMap(({ said }) => said))
    if (code === 'not-ours-in-target' || (code === 'missing-in-target' && !isHiding(helpdesk)))
      broken.push(`lost: ${ticket} is ${code}`);
  const touched = new Set(helpdesk.done.map(({ ticket }) => ticket.payload.subject.split(' ').at(-1)));
  const isSmooth = ends.every(({ died }) => died === undefined) && !log.some((line) => FAULT.test(line));
  for (const { ticket = '', code } of isSmooth && !helpdesk.ways.ownLine ? last.said : [])
    if (code === 'delta-held' && !touched.has(ticket)) broken.push(`held: ${ticket}, which nobody touched`);
  // Each process tries it once, and once more where the thread changed meanwhile.
  if (isSmooth && helpdesk.refusedFields > 2 * ends.length)
    broken.push(`field: refused ${helpdesk.refusedFields} times`);
  return [
    ...broken,
    ...doubts,
    ...ends.flatMap(({ crash }) => (crash === undefined ? [] : [`crash: ${crash}`])),
  ];
}

/** A ticket that the network makes twice, or the helpdesk hides, is only told by the total of the list. */
function isBeyondKnowing(log: readonly string[], { ways }: PeopledHelpdesk): boolean {
  const isUnfindable = ways.losesTags || ways.tagsLagMs > 0;
  return log.some(
    (line) => line.includes('(twice') || (isUnfindable && /\((?:409|413|422) (?:after|late)/.test(line)),
  );
}

const isHiding = ({ ways: { hides, old } }: PeopledHelpdesk) => hides.length > 0 || old !== undefined;

const FAULT = /no connection|\(\S+ (?:before|after|late)\)/;
