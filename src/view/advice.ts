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
      title: 'The ticket has no ID',
      todo: 'Every ticket needs its ID from the source, so that it is imported only once. Choose the right column.',
    },
    'duplicate-id': {
      title: 'Duplicate ID',
      todo: 'Only the first record is imported. If these are different tickets, give each its own ID.',
    },
    'extra-cells': {
      title: 'A row has more cells than the header',
      todo: 'Text beyond the last column is not imported. Quote texts with the delimiter, or name the columns in the header.',
    },
    'no-tickets': {
      title: 'The export has no tickets',
      todo: 'Check that the export is complete and that the right files are named.',
    },
    'kept-internal': {
      title: 'A description that copies an internal note is sent as internal',
      todo: 'Nothing to do. If it was public, set isInternal in the rule of that message.',
    },
    'odd-key': {
      title: 'The IDs of tickets look like something else',
      todo: 'Check the key of the table: a date, an address, an amount or a shared value is no ID. Ignore this if these are the IDs.',
    },
    'repeated-header': {
      title: 'Several columns have the same name and different values',
      todo: 'The first filled one is read. Rename them in the header, or read all of them with `each` in the mapping.',
    },
    'missing-subject': { title: 'The ticket has no subject', todo: `A subject is required. ${MAPPED}` },
    'empty-subject': {
      title: 'The subject is empty',
      todo: 'A subject is required. Fill it in, or map a second column for empty ones.',
    },
    'invalid-status': {
      title: 'Unknown status',
      todo: 'Map it in the value map to open, pending, resolved or closed.',
    },
    'invalid-priority': {
      title: 'Unknown priority',
      todo: 'Map it in the value map to low, normal, high or urgent.',
    },
    'invalid-type': { title: 'The value is of the wrong type', todo: MAPPED },
    'invalid-email': {
      title: 'Invalid e-mail address',
      todo: 'Contacts are matched by their address. Correct it in the export.',
    },
    'missing-contact': {
      title: "A customer's message has no contact",
      todo: 'It needs an e-mail address. Set customersWithoutEmail for customers without one.',
    },
    'missing-agent': {
      title: "An agent's message or event has no agent ID",
      todo: 'List the agent under agents in helpdesk-import.yaml, or set fallbackAgent for those who left.',
    },
    'lost-assignee': {
      title: 'The assignee has no agent ID',
      todo: 'The ticket is imported without an assignee. List the agent under agents in helpdesk-import.yaml.',
    },
    'agents-asked': {
      title: 'Agents are looked up at import',
      todo: 'Run the dry run with an address and a token to look them up now, or list them under agents in helpdesk-import.yaml.',
    },
    'target-not-asked': {
      title: 'The dry run could not ask the helpdesk everything',
      todo: 'Check the address and the token with helpdesk-import doctor. The plan is still valid.',
    },
    'already-in-target': {
      title: 'The helpdesk has tickets of this export that the checkpoint does not have',
      todo: 'A run is refused. Continue with the checkpoint of that import, or rebuild it with helpdesk-import checkpoint rebuild.',
    },
    'unknown-author': {
      title: 'Unknown author',
      todo: 'Add the people of the old helpdesk (users, agents, contacts) to the export, list agents by this ID, address or name under agents, or set mapping.otherAuthors for all others.',
    },
    'invalid-actor': {
      title: 'Unknown author type',
      todo: 'Map it in the value map to customer, agent or system.',
    },
    'invalid-content-type': {
      title: 'Unknown content type',
      todo: 'Map it in the value map to text, html or markdown.',
    },
    'empty-content': {
      title: 'The message is empty and has no attachment',
      todo: 'Fill it in, or leave such messages out with an exclude rule.',
    },
    'missing-content': { title: 'The message has no content', todo: MAPPED },
    'invalid-time': {
      title: 'The time does not exist or cannot be read',
      todo: 'Correct it, or set the format of times in the mapping.',
    },
    'time-without-zone': {
      title: 'The time has no zone',
      todo: 'Set source.timezone in helpdesk-import.yaml to the zone of the export.',
    },
    'missing-time': {
      title: 'A time is missing',
      todo: 'Set source.missingTimes in helpdesk-import.yaml.',
    },
    'time-in-future': {
      title: 'The time is in the future',
      todo: 'Check whether day and month are swapped (source.dayFirst) or the clock of the source was wrong.',
    },
    'invalid-attachment': {
      title: 'The attachment has no usable address or size',
      todo: 'It needs an http or https address. Correct it, or leave attachments out of the mapping.',
    },
    'invalid-event-type': { title: 'The event has no usable type', todo: MAPPED },
    'missing-event-status': {
      title: 'The status change has no old or new status',
      todo: 'oldValue.status and newValue.status are required. Map both, or leave these events out.',
    },
    'contact-and-contact-id': {
      title: 'Both contact and contactId are given',
      todo: 'Leave out one of them.',
    },
    'unmapped-value': {
      title: 'Unmapped value',
      todo: 'Add it to the value map in helpdesk-import.yaml, or set `unlisted` there.',
    },
    'unknown-field': {
      title: 'Unknown field',
      todo: 'It is not sent. Correct its name if it is a mistake.',
    },
    'unused-column': {
      title: 'Column that is not imported',
      todo: 'Map it if it matters. With `unmapped: note` it is kept in a note of its ticket.',
    },
    'no-conversation': {
      title: 'Tickets have no messages, and text is left out',
      todo: 'Map this text to messages. If it is not part of the tickets, list its columns under ignore.',
    },
    'unjoined-rows': {
      title: 'Many rows of messages belong to no ticket',
      todo: 'Check the key of the table of messages. Ignore this if the tickets are in another export.',
    },
    'unread-text': {
      title: 'A text of the export is not imported',
      todo: 'Map it to messages if people wrote it in a ticket; otherwise list it under ignore.',
    },
    'one-author-type': {
      title: 'Only customers, or only agents, seem to have written',
      todo: 'Check the author of the messages. Ignore this if no ticket was answered.',
    },
    'agent-writes-first': {
      title: 'Customers and agents may be swapped',
      todo: 'Check actorType of the messages. Ignore this if the team writes first.',
    },
    'agents-like-requesters': {
      title: 'Agents also opened tickets',
      todo: 'Are customers mapped as agents? Ignore this if the team opens tickets for itself.',
    },
    'note-published': {
      title: 'An internal note may be public',
      todo: 'Leave out the public copy, or make it internal. Ignore this if the note was sent to the customer too.',
    },
    'repeated-text': {
      title: 'Two messages of a ticket have the same text',
      todo: 'Give the description `use: unless-repeated`, or leave one of the two out; versions of a row need `latest`. Ignore this if people did write it twice.',
    },
    'unread-field': {
      title: 'A field is empty, and a column with its name is not mapped',
      todo: 'Map the column, or list it under ignore. Ignore this if the column means something else.',
    },
    'incomplete-thread': {
      title: 'The export has fewer messages or records than it claims',
      todo: 'Export it again, completely. Ignore this if the missing ones were deleted in the source.',
    },
    'odd-times': {
      title: 'Times of most tickets are improbable',
      todo: 'Check the times of the mapping and the time zone. Ignore this if the export has days only.',
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
      title: 'Unreadable row',
      todo: 'Correct it in the export, or use --allow-unreadable-rows to import its ticket without it.',
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
      title: 'An address is merged into another one of the same person',
      todo: 'Nothing to do. If it is wrong, remove the row from the file of people.',
    },
    'message-before-ticket': {
      title: 'A message is older than its ticket',
      todo: 'It is imported with its own time, as in merged tickets.',
    },
    'resolved-before-created': {
      title: 'The ticket was resolved before it was created',
      todo: 'It is imported as it is. Check whether two times are swapped in the mapping.',
    },
    'closed-before-created': {
      title: 'The ticket was closed before it was created',
      todo: 'It is imported as it is. Check whether two times are swapped in the mapping.',
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
      todo: 'They are replaced by �. Check the encoding (--encoding).',
    },
    'changed-since-import': {
      title: 'The ticket changed since it was imported',
      todo: 'The helpdesk was not changed. --delta imports new messages and a new status, priority, assignee or tags.',
    },
    'older-than-imported': {
      title: 'The export is older than the imported ticket',
      todo: 'The ticket was not changed. Run again with the newest export.',
    },
    'field-not-updatable': {
      title: 'A field of an imported ticket changed',
      todo: 'The helpdesk has no call to update it, or people changed it there too. Change it there by hand if it matters.',
    },
    'lines-skipped': {
      title: 'Lines that repeat the header were skipped',
      todo: 'Check that the right line is the header.',
    },
    'empty-file': { title: 'A file is empty', todo: 'Check that the export is complete.' },
    'file-missing': {
      title: 'A file cannot be imported',
      todo: 'Do what the message says (a credential, a new export, its host under files.hosts), and run again with --delta: only missing files are fetched.',
    },
    'not-in-export': {
      title: 'A ticket named by --only is not in the export',
      todo: 'Check its ID.',
    },
    'transform-failed': {
      title: 'The transform failed for a ticket',
      todo: 'Correct the transform module; the error comes from it.',
    },
    'missing-column': {
      title: 'The mapping reads a column that no file has',
      todo: 'Correct its name in the mapping, or remove the rule.',
    },
    'messages-kept': {
      title: 'Messages that only the helpdesk has were kept',
      todo: 'Nothing to do.',
    },
    'delta-held': {
      title: 'The changes of a ticket were not sent',
      todo: 'Run again. If the helpdesk cannot be read, add what is new by hand.',
    },
    'links-held': {
      title: 'The links in a ticket were not rewritten',
      todo: 'The helpdesk does not show its messages whole. Run the same command again, or change the links by hand.',
    },
    'history-held': {
      title: 'The history of a ticket was not updated',
      todo: 'Change it in the helpdesk by hand if it matters.',
    },
    'history-doubled': {
      title: 'Duplicate events in the helpdesk',
      todo: 'Delete them there by hand if they matter.',
    },
    'edited-in-target': {
      title: 'Messages were edited in the helpdesk',
      todo: 'Nothing to do: they are not changed.',
    },
    'deleted-in-target': {
      title: 'Deleted in the helpdesk',
      todo: 'Nothing to do: it stays deleted.',
    },
    'duplicate-event': {
      title: 'An earlier row has the same event ID',
      todo: 'It is not sent. If they are different events, give each its own ID.',
    },
    refused: {
      title: 'The helpdesk refused the ticket, its messages or its events',
      todo: 'Correct it and run the same command again: only what is missing is sent.',
    },
    'unknown-outcome': {
      title: 'A request was sent and its outcome is unknown',
      todo: 'Run the same command again: it looks the ticket up. If the helpdesk cannot be read, use helpdesk-import resolve.',
    },
    'cut-off': {
      title: 'A request was cut off when the run stopped',
      todo: 'Run the same command again: it looks the ticket up. If the helpdesk cannot be read, use helpdesk-import resolve.',
    },
    'not-proven-absent': {
      title: 'A ticket was not found, but the list may be out of date',
      todo: 'Look for its tag in the helpdesk. Use helpdesk-import resolve --retry if it is missing, --adopt if it is there.',
    },
    'count-differs': {
      title: 'The helpdesk counts more tickets than it lists, or than the checkpoint has',
      todo: 'Look for the tag of the ticket in the helpdesk, and use helpdesk-import resolve.',
    },
    'not-ours-in-target': {
      title: 'Another ticket has the ID of an imported one',
      todo: 'Compare both in the helpdesk. If only the tag was removed, restore it and run again.',
    },
    'duplicate-in-target': {
      title: 'The helpdesk has a ticket of this source that the checkpoint does not have',
      todo: 'Compare the tickets with the same tag in the helpdesk, and delete all but one.',
    },
    'missing-in-target': {
      title: 'The helpdesk lists fewer tickets of this source than were imported',
      todo: 'Nothing to do if people deleted them. Otherwise run helpdesk-import verify.',
    },
    'target-unchecked': {
      title: 'A new checkpoint, and the helpdesk does not list its tickets',
      todo: 'Nothing to do for a first import. If this source was imported before, continue with that checkpoint: a new one creates every ticket again.',
    },
    'in-another-shard': {
      title: 'A ticket was imported by another shard before its requester changed',
      todo: 'Nothing to do: the helpdesk has it once, and that shard imports its later messages.',
    },
    'several-matches': {
      title: 'Several tickets of the helpdesk have the tag of this one',
      todo: 'Choose one with helpdesk-import resolve --adopt.',
    },
    'unclear-match': {
      title: 'A ticket of the helpdesk has the tag of this one, but differs from it',
      todo: 'Look at it in the helpdesk, and use helpdesk-import resolve.',
    },
    'list-incomplete': {
      title: 'The list of the helpdesk is incomplete',
      todo: 'Look for the ticket in the helpdesk, and use helpdesk-import resolve.',
    },
    'target-unreadable': {
      title: 'The helpdesk cannot be read',
      todo: 'Look for the ticket in the helpdesk, and use helpdesk-import resolve.',
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
