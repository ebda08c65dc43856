/**
 * A report without personal data (`--redact`): addresses, names, subjects, bodies, the names of files that were attached
 * and whatever a problem quotes. It works on the data and not on the page, so what is hidden is not in the page at all.
 *
 * People keep a made-up name that is the same throughout ("Contact 3"), so that a conversation can still be followed.
 * What stays: counts, times, statuses, external ids and ticket ids (without them nobody could look a ticket up), names of
 * files, columns and mapped values. Any address that stands among those is hidden too.
 */

import type { Problem } from '../../domain/problem.ts';
import type { LossReport, TargetLook } from '../../domain/survey.ts';
import type { ProblemGroup } from '../../summary/problem-log.ts';
import type { Summary, TrialTicket } from '../../summary/summary.ts';
import { adviceFor } from '../advice.ts';
import { countOf } from '../format.ts';
import type { Conversation, ConversationEntry, ConversationMessage } from './conversation.ts';
import type { ReportData } from './report-data.ts';

/** Pure: the same data give the same made-up names. */
export function redactReport(data: ReportData): ReportData {
  const people = inventNames();
  const { source, mergedContacts, problems, loss, trial } = data;
  return scrubbed({
    ...data,
    redacted: true,
    source: source && { ...source, files: { ...source.files, rows: source.files.rows.map(baseName) } },
    mergedContacts: mergedContacts && {
      ...mergedContacts,
      rows: mergedContacts.rows.map(({ email, names }) => ({
        email: people.contact(email),
        name: HIDDEN,
        names,
      })),
    },
    problems: problems && {
      ...problems,
      groups: {
        ...problems.groups,
        // Without its line of the export, which holds whatever stands beside the bad value.
        rows: problems.groups.rows.map(({ frame: _, ...group }) => ({
          ...redactGroup(group),
          examples: group.examples.map(redactProblem),
        })),
      },
    },
    loss: loss && redactLoss(loss, people),
    look: data.look && redactLook(data.look),
    inDoubt: {
      ...data.inDoubt,
      rows: data.inDoubt.rows.map((ticket) => ({
        ...ticket,
        subject: ticket.subject === undefined ? undefined : HIDDEN,
        email: ticket.email === undefined ? undefined : people.contact(ticket.email),
        reason: ticket.reason === undefined ? undefined : HIDDEN,
      })),
    },
    failed: {
      ...data.failed,
      rows: data.failed.rows.map((ticket) => ({ ...ticket, reason: sentenceFor(ticket.code) })),
    },
    trial: trial && {
      tickets: trial.tickets.map(redactTrialTicket),
      // What to look at in a single ticket names its people.
      checklist: { overall: trial.checklist?.overall ?? [], tickets: [] },
    },
    conversations: data.conversations.map((conversation) => redactConversation(conversation, people)),
  });
}

/** What `--json` and the screen show, redacted; external ids and counts stay. */
export function redactSummary(summary: Summary): Summary {
  const { trial, look } = summary;
  return {
    ...summary,
    ...(look === undefined ? {} : { look: redactLook(look) }),
    problems: summary.problems.map(redactProblem),
    problemGroups: summary.problemGroups.map(redactGroup),
    trial: trial && { tickets: trial.tickets.map(redactTrialTicket) },
  };
}

/** Without the names and addresses of agents. */
function redactLook(look: TargetLook): TargetLook {
  const { failure, agents, team } = look;
  return {
    ...look,
    failure: failure && 'It failed.',
    agents: { ...agents, unknown: [] },
    team: team && { ...team, first: team.first.map(({ id }) => ({ id })) },
  };
}

/** The loss report without names and addresses of people, and without values that may be anything. */
export function redactLossReport(loss: LossReport): LossReport {
  return redactLoss(loss, inventNames());
}

/** A problem without the values that its sentence quotes: what stays is its place and what holds for all of its kind. */
export function redactProblem(problem: Problem): Problem {
  return { ...problem, message: sentenceFor(problem.code) };
}

export function redactGroup(group: ProblemGroup): ProblemGroup {
  return { ...group, example: redactProblem(group.example) };
}

function sentenceFor(code: string): string {
  const title = adviceFor(code)?.title;
  return title === undefined ? `Details are hidden (${code}).` : `${title}.`;
}

const HIDDEN = '(hidden)';

interface People {
  contact(email: string): string;
  agent(id: string): string;
  author(text: string): string;
}

function inventNames(): People {
  const namesOf = (kind: string) => {
    const known = new Map<string, string>();
    return (person: string): string => {
      const name = known.get(person) ?? `${kind} ${known.size + 1}`;
      known.set(person, name);
      return name;
    };
  };
  return { contact: namesOf('Contact'), agent: namesOf('Agent'), author: namesOf('Author') };
}

/** Fields whose values are of a fixed set in every source; others may hold anything. */
const CATEGORIES = new Set(['status', 'priority', 'actorType', 'actor', 'contentType', 'type']);

function redactLoss(loss: LossReport, people: People): LossReport {
  return {
    ...loss,
    unmappedValues: loss.unmappedValues.map((row) => ({
      ...row,
      value: CATEGORIES.has(row.field.split('.').at(-1) ?? '') ? row.value : HIDDEN,
    })),
    agentsWithoutId: loss.agentsWithoutId.map(({ agent, count, fallback }) => ({
      agent: people.agent(agent),
      count,
      fallback: fallback && people.agent(fallback),
    })),
    unknownAuthors: loss.unknownAuthors.map(({ author, count }) => ({
      author: people.author(author),
      count,
    })),
  };
}

function redactTrialTicket(ticket: TrialTicket): TrialTicket {
  return {
    ...ticket,
    checks: ticket.checks.map(({ name, ok }) => ({ name, ok, detail: ok ? 'Passed.' : 'Failed.' })),
  };
}

function redactConversation(conversation: Conversation, people: People): Conversation {
  const { contact, assignee, subject, tags } = conversation;
  return {
    ...conversation,
    subject: `Subject of ${countOf(subject.length, 'character')}`,
    contact: contact && { email: people.contact(contact.email) },
    tags: tags.length === 0 ? [] : [countOf(tags.length, 'tag')],
    assignee: assignee === undefined ? undefined : people.agent(assignee),
    entries: conversation.entries.map((entry) => redactEntry(entry, people)),
  };
}

function redactEntry(entry: ConversationEntry, people: People): ConversationEntry {
  if (entry.kind === 'gap') return entry;
  if (entry.kind === 'message') return redactMessage(entry, people);
  const { before, after, ...rest } = entry;
  if (entry.isStatus) return entry;
  return {
    ...rest,
    before: before === undefined ? undefined : HIDDEN,
    after: after === undefined ? undefined : HIDDEN,
  };
}

function redactMessage(
  { name, email, cutFrom, ...message }: ConversationMessage,
  people: People,
): ConversationMessage {
  const known = email ?? name;
  const shown =
    known === undefined
      ? undefined
      : message.author === 'agent'
        ? people.agent(known)
        : people.contact(known);
  return {
    ...message,
    name: shown,
    contentType: 'text',
    content: `${message.contentType === 'text' ? 'Text' : message.contentType === 'html' ? 'HTML' : 'Markdown'} of ${countOf(cutFrom ?? message.content.length, 'character')}`,
    pictures: [],
    attachments: message.attachments.map(({ contentType, sizeBytes }, index) => ({
      url: '',
      name: `Attachment ${index + 1}`,
      contentType,
      sizeBytes,
    })),
  };
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

const ADDRESS = /[^\s@"'<>()[\],;:]{1,64}@[^\s@"'<>()[\],;:]{1,255}/g;

/** Every text of the data, without the addresses in it. */
function scrubbed(data: ReportData): ReportData {
  const scrub = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.includes('@') ? value.replace(ADDRESS, '(address)') : value;
  return JSON.parse(JSON.stringify(data, scrub)) as ReportData;
}
