/**
 * What a kind of problem is called and what to do about it. A problem's own sentence names the value; this says what holds
 * for all of a group. The problem codes of docs/reference.md come from the same table.
 */
export interface Advice {
  /** What is wrong, without a full stop. */
  readonly title: string;
  /** What to do, one or two sentences. */
  readonly todo: string;
}

const MAPPED = 'Correct it in the export, or map it in the mapping section of helpdesk-import.yaml.';
const DATA = 'Correct it in the export, or import it from the rejects folder once it is corrected there.';

const ADVICE: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    unreadable: { title: 'The record cannot be read', todo: `The line is not valid in its format. ${DATA}` },
    'missing-id': {
      title: 'The ticket has no id',
      todo: 'Every ticket needs its id from the source, so that it is imported only once. Choose the right column as its id.',
    },
    'duplicate-id': {
      title: 'Another ticket has the same id',
      todo: 'The first one counts. If these are different tickets, give each its own id; if not, nothing is lost.',
    },
    'extra-cells': {
      title: 'A row has more cells than the header',
      todo: 'The text beyond the last column is not imported. Put texts that hold the delimiter in quotes, or name the columns in the header. It does not apply to cells that say nothing about a ticket.',
    },
    'no-tickets': {
      title: 'The export has no tickets',
      todo: 'Check that the export was complete and that the right files are named.',
    },
    'kept-internal': {
      title: 'A description that copies an internal note is sent as internal',
      todo: 'Nothing to do. Where it was public, say so with isInternal in the rule of that message.',
    },
    'odd-key': {
      title: 'The IDs of tickets read like something else',
      todo: 'Look at the key of the table: a date, an address, an amount or a value that many tickets share is no ID. Ignore this if the source really names its tickets so.',
    },
    'repeated-header': {
      title: 'Several columns have the same name and different values',
      todo: 'The first filled one is read. Give them different names in the header, or read all of them with `each` in the mapping.',
    },
    'missing-subject': { title: 'The ticket has no subject', todo: `A subject is required. ${MAPPED}` },
    'empty-subject': {
      title: 'The subject is empty',
      todo: 'A subject is required. Fill it in, or map a second column as a substitute for an empty one.',
    },
    'invalid-status': {
      title: 'The service has no such status',
      todo: 'Allowed are open, pending, resolved and closed. Map the values of the source to these in the value map.',
    },
    'invalid-priority': {
      title: 'The service has no such priority',
      todo: 'Allowed are low, normal, high and urgent. Map the values of the source to these in the value map.',
    },
    'invalid-type': { title: 'The value is of the wrong type', todo: MAPPED },
    'invalid-email': {
      title: 'Invalid e-mail address',
      todo: 'Contacts are matched by their address, so it must be right. Correct it in the export.',
    },
    'missing-contact': {
      title: "A customer's message has no contact",
      todo: 'It needs an e-mail address. Say with customersWithoutEmail what to do about customers who have none.',
    },
    'missing-agent': {
      title: "An agent's message or event has no agent id",
      todo: 'List the agent under agents in helpdesk-import.yaml, or set fallbackAgent for those who left.',
    },
    'lost-assignee': {
      title: 'The assignee has no agent id',
      todo: 'The ticket is imported without an assignee. List the agent under agents in helpdesk-import.yaml.',
    },
    'agents-asked': {
      title: 'Agents are looked up at import, by their e-mail address',
      todo: 'Give the dry run an address and a token to ask the target now, or list the agents under agents in helpdesk-import.yaml.',
    },
    'target-not-asked': {
      title: 'The dry run could not ask the target everything',
      todo: 'Check the address and the token with helpdesk-import doctor. The plan is valid all the same.',
    },
    'already-in-target': {
      title: 'The target has tickets of this export that the checkpoint does not know',
      todo: 'A run with this checkpoint is refused. Continue with the checkpoint of that import, or rebuild it with helpdesk-import checkpoint rebuild.',
    },
    'unknown-author': {
      title: 'Unknown author',
      todo: 'Add the people of the old helpdesk (users, agents, contacts) to the export, list agents by this ID, address or name under agents, or set mapping.otherAuthors for all others.',
    },
    'invalid-actor': {
      title: 'The author is neither customer, agent nor system',
      todo: 'Allowed are customer, agent and system. Map the values of the source to these in the value map.',
    },
    'invalid-content-type': {
      title: 'The service has no such content type',
      todo: 'Allowed are text, html and markdown. Map the values of the source to these in the value map.',
    },
    'empty-content': {
      title: 'The message is empty and has no attachment',
      todo: 'Fill it in, or leave such messages out with an exclude rule.',
    },
    'missing-content': { title: 'The message has no content', todo: MAPPED },
    'invalid-time': {
      title: 'The time does not exist or cannot be read',
      todo: 'Times are never guessed or shifted. Correct it, or say in the mapping how times are written.',
    },
    'time-without-zone': {
      title: 'The time does not say its zone',
      todo: 'Set source.timezone in helpdesk-import.yaml to the zone that the export is in.',
    },
    'missing-time': {
      title: 'A time is missing',
      todo: 'Set source.missingTimes in helpdesk-import.yaml to say which time takes its place.',
    },
    'time-in-future': {
      title: 'The time is in the future',
      todo: 'Check whether day and month are mixed up (source.dayFirst) or the clock of the source was wrong.',
    },
    'invalid-attachment': {
      title: 'The attachment has no usable address or size',
      todo: 'It needs an address with http or https. Correct it, or leave attachments out of the mapping.',
    },
    'invalid-event-type': { title: 'The event has no usable type', todo: MAPPED },
    'missing-event-status': {
      title: 'The status change does not say from what to what',
      todo: 'oldValue.status and newValue.status are required. Map both, or leave these events out.',
    },
    'contact-and-contact-id': {
      title: 'Both contact and contactId are given',
      todo: 'They are alternatives: leave out one of them.',
    },
    'unmapped-value': {
      title: 'The value is in no value map',
      todo: 'Add it to the value map in helpdesk-import.yaml, or say there what to do with unlisted values.',
    },
    'unknown-field': {
      title: 'The service has no such field',
      todo: 'It is not sent. Nothing to do, unless its name is a mistake.',
    },
    'unused-column': {
      title: 'The column is used by no rule',
      todo: 'It is not sent, or only in the note of its ticket (unmapped: note). Map it if it matters.',
    },
    'no-conversation': {
      title: 'Tickets come without messages, and text is left out',
      todo: 'Map the named text to messages. If it is no part of the tickets, list its columns under ignore.',
    },
    'unjoined-rows': {
      title: 'Many rows of messages belong to no ticket',
      todo: 'Look at the key of the table of messages. Ignore this if the tickets are in another export.',
    },
    'unread-text': {
      title: 'No rule reads a text of the export',
      todo: 'Map it to messages if it was said in a ticket; else list it under ignore.',
    },
    'one-author-type': {
      title: 'Only customers, or only agents, seem to have written',
      todo: 'Look at the author of the messages. Ignore this if nobody answered in the tickets.',
    },
    'agent-writes-first': {
      title: 'Customers and agents may have changed places',
      todo: 'Look at actorType of the messages. Ignore this if the team writes first.',
    },
    'agents-like-requesters': {
      title: 'Agents also opened tickets',
      todo: 'Look at the author of the messages: are customers mapped as agents? Ignore this if people of the team open tickets for themselves.',
    },
    'note-published': {
      title: 'An internal note may be public',
      todo: 'Look at the ticket: leave out the public copy, or make it internal. Ignore this if the note was sent to the customer too.',
    },
    'repeated-text': {
      title: 'Two messages of a ticket have the same text',
      todo: 'Give the description `use: unless-repeated`, or leave one of the two out; rows that are versions of each other need `latest`. Ignore this if people did write it twice.',
    },
    'unread-field': {
      title: 'A field is empty, and no rule reads the column with its name',
      todo: 'Map the column, or list it under ignore. Ignore this if the column means something else.',
    },
    'incomplete-thread': {
      title: 'The export has fewer messages or records than it says',
      todo: 'Export the ticket or the stream again, completely. Ignore this if the missing ones were deleted in the source.',
    },
    'odd-times': {
      title: 'Times of most tickets are improbable',
      todo: 'Look at the times of the mapping and at the time zone. Ignore this if the export has days only.',
    },
    'orphan-message': {
      title: 'A message without its ticket',
      todo: 'Its ticket is not in this export. The row is in the rejects; export the ticket too if it matters.',
    },
    'orphan-event': {
      title: 'An event without its ticket',
      todo: 'Its ticket is not in this export. The row is in the rejects; export the ticket too if it matters.',
    },
    'orphan-row': {
      title: 'A row without its ticket',
      todo: 'Its ticket is not in this export. The row is in the rejects; export the ticket too if it matters.',
    },
    'unreadable-row': {
      title: 'A row cannot be read',
      todo: 'Correct it in the export. A row of a ticket stops a run before anything is sent; --allow-unreadable-rows imports its ticket without it.',
    },
    'no-messages': {
      title: 'The ticket has no messages',
      todo: 'It is imported without a conversation. Check whether a file of messages is missing.',
    },
    'no-contact': {
      title: 'The ticket has no contact',
      todo: 'It is imported without a requester. Map one if the source has it.',
    },
    'merged-person': {
      title: 'An address comes in as another one of the same person',
      todo: 'Nothing to do if the file of people is right. Otherwise remove the row.',
    },
    'message-before-ticket': {
      title: 'A message is older than its ticket',
      todo: 'It is imported with its own time. Nothing to do where the source allows it, as merged tickets do.',
    },
    'resolved-before-created': {
      title: 'The ticket was resolved before it was created',
      todo: 'It is imported as it is. Check whether two times are mixed up in the mapping.',
    },
    'closed-before-created': {
      title: 'The ticket was closed before it was created',
      todo: 'It is imported as it is. Check whether two times are mixed up in the mapping.',
    },
    'event-before-ticket': {
      title: 'An event is older than its ticket',
      todo: 'It is imported with its own time.',
    },
    'very-old-time': {
      title: 'The time is suspiciously old',
      todo: 'It is imported as it is. Check whether an empty date became 1970 or the year is cut.',
    },
    'invalid-unicode': {
      title: 'The text has broken characters',
      todo: 'They are replaced by a mark. Check the encoding (--encoding).',
    },
    'changed-since-import': {
      title: 'The ticket changed since it was imported',
      todo: 'What is in the service stays as it is. --delta brings in new messages and a new status, priority, assignee or tags.',
    },
    'older-than-imported': {
      title: 'The export is older than what was imported',
      todo: 'The ticket stays as it is in the helpdesk. Run again with the newest export.',
    },
    'field-not-updatable': {
      title: 'A field of an imported ticket changed',
      todo: 'The helpdesk has no call to update it, or people changed it there too. Change it there by hand if it matters.',
    },
    'lines-skipped': {
      title: 'Lines that repeat the header were skipped',
      todo: 'Check that the line taken for the header is the header.',
    },
    'empty-file': { title: 'A file is empty', todo: 'Check that the export was complete.' },
    'file-missing': {
      title: 'A file cannot be imported',
      todo: 'Do what its sentence says (a credential, a new export, its host under files.hosts) and run again with --delta: only what is missing is fetched.',
    },
    'not-in-export': {
      title: 'A ticket named by --only is not in the export',
      todo: 'Check its id.',
    },
    'transform-failed': {
      title: 'The transform failed for a ticket',
      todo: 'Correct the transform module; the error comes from it.',
    },
    'missing-column': {
      title: 'The mapping reads a column that no file has',
      todo: 'Correct its name in the mapping, or take the rule out.',
    },
    'messages-kept': {
      title: 'Messages that only the target has were kept',
      todo: 'Nothing to do.',
    },
    'delta-held': {
      title: 'The changes of a ticket were held back',
      todo: 'Run again; where the target cannot be read, add what is new by hand.',
    },
    'links-held': {
      title: 'The links in a ticket were not rewritten',
      todo: 'The service does not show its messages whole. Run the same command again, or change the links by hand.',
    },
    'history-held': {
      title: 'The history of a ticket stays as it is in the target',
      todo: 'Change it there by hand if it matters.',
    },
    'history-doubled': {
      title: 'Events occur more than once in the target',
      todo: 'Delete the duplicate events there by hand if they matter.',
    },
    'edited-in-target': {
      title: 'Messages were edited in the target',
      todo: 'Nothing to do: they stay as they are there.',
    },
    'deleted-in-target': {
      title: 'What was imported was deleted in the target',
      todo: 'Nothing to do: it stays deleted.',
    },
    'duplicate-event': {
      title: 'An earlier row has the same event id',
      todo: 'It is not sent. Nothing to do, unless they are different events.',
    },
    refused: {
      title: 'The target refused the ticket, its messages or its events',
      todo: 'Correct what it says and run the same command again: only what is missing is sent.',
    },
    'unknown-outcome': {
      title: 'A request was sent and its outcome is unknown',
      todo: 'Running the same command again looks it up where the target can be read; else settle it with helpdesk-import resolve.',
    },
    'cut-off': {
      title: 'A request was cut off when the run was stopped',
      todo: 'Running the same command again looks it up where the target can be read; else settle it with helpdesk-import resolve.',
    },
    'not-proven-absent': {
      title: 'A ticket was not found, and nothing proves that it is not there',
      todo: 'Look for its tag in the target: settle it with helpdesk-import resolve --retry where it is not there, with --adopt where it is.',
    },
    'count-differs': {
      title: 'The target counts more tickets than it shows or than are known',
      todo: 'Look for the tag of the ticket in the target and settle it with helpdesk-import resolve.',
    },
    'not-ours-in-target': {
      title: 'Another ticket has the id of an imported one',
      todo: 'Compare both in the target. If someone only removed the tag, restore it and run again.',
    },
    'duplicate-in-target': {
      title: 'The target has a ticket of this source that the checkpoint does not know',
      todo: 'Compare the tickets with the same tag in the target and delete all but one.',
    },
    'missing-in-target': {
      title: 'The target lists fewer tickets of this source than were imported',
      todo: 'Nothing to do where people deleted them; else see with helpdesk-import verify what is there.',
    },
    'target-unchecked': {
      title: 'A new checkpoint, and the list of tickets in the target cannot be asked',
      todo: 'Nothing to do for a first import. If this source was imported before, stop and continue with the checkpoint of that import: a new one creates every ticket again.',
    },
    'in-another-shard': {
      title: 'A ticket was imported by another shard before its requester changed',
      todo: 'Nothing to do: it is in the target once. Its later messages are brought in by the shard that imported it.',
    },
    'several-matches': {
      title: 'Several tickets of the target carry the tag of this one',
      todo: 'Choose one with helpdesk-import resolve --adopt.',
    },
    'unclear-match': {
      title: 'A ticket of the target carries the tag of this one, and differs from it',
      todo: 'Look at it in the target and settle it with helpdesk-import resolve.',
    },
    'list-incomplete': {
      title: 'The list of the target leaves out tickets',
      todo: 'Look for the ticket in the target and settle it with helpdesk-import resolve.',
    },
    'target-unreadable': {
      title: 'The target cannot be read',
      todo: 'Look for the ticket in the target and settle it with helpdesk-import resolve.',
    },
    'ignored-folder': {
      title: 'A folder is not read',
      todo: 'If it belongs to the export, name it too: helpdesk-import run export/ export/threads/.',
    },
    'ignored-file': { title: 'A file is not used', todo: 'It belongs to no table of the layout.' },
  }),
);

/** Undefined for a code that the table does not know: then the problem's own sentence must do. */
export function adviceFor(code: string): Advice | undefined {
  return ADVICE.get(code);
}

/** All codes with their advice, for the guide. */
export function allAdvice(): readonly (Advice & { readonly code: string })[] {
  return [...ADVICE].map(([code, advice]) => ({ code, ...advice }));
}
