/** Settings of the new helpdesk. */
import { good, nonEmpty, parsePath, parseServiceUrl, parseSubject, parseTicketUrl } from '../parsers.ts';
import { text, toggle, word } from '../setting.ts';

export const TARGET = {
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  baseUrl: text(parseServiceUrl, {
    description: 'Address of the helpdesk service.',
    examples: ['https://helpdesk.example.com'],
    env: 'HELPDESK_BASE_URL',
    option: 'target.baseUrl',
    inSandbox: 'default',
  }),
  /** Without a slash at its end. */
  apiPath: text(parsePath, {
    description: 'Path of the Core API below the address.',
    default: '/api/core/v1',
  }),
  /** Address of a ticket, with `{id}`. */
  ticketUrl: text(parseTicketUrl, {
    description:
      'Address of a ticket in the new helpdesk: {id} is replaced by its id there. For helpdesk-import map and links.',
    examples: ['https://helpdesk.example.com/tickets/{id}'],
  }),
  /** Tag of every ticket; may be empty. */
  tag: text((tag) => good(tag.trim()), {
    description: 'Tag that every imported ticket carries; an empty text turns it off.',
    default: 'imported',
  }),
  subject: text(parseSubject, {
    description:
      'How subjects are written, for those who look for old numbers there: {subject} is replaced by the subject, {id} by the id in the source.',
    examples: ['"{subject} [#{id}]"'],
  }),
  channelId: text(nonEmpty, {
    description:
      'Id of the channel for tickets whose export or mapping names none; it decides how replies leave, and the helpdesk chooses one where it is not set. helpdesk-import doctor lists them.',
    examples: ['chn_email'],
  }),
  /** Whether tickets carry identity tags (domain/identity.ts). */
  identityTag: word(
    ['on', 'off'],
    {
      description:
        'Every ticket carries its own tag (zendesk-1041) and one of its source (from-zendesk), by which it is found again without doubt. "off" leaves them out: more creates of unknown outcome are then held for a person, and a lost checkpoint cannot be rebuilt.',
      default: 'on',
    },
    (chosen) => chosen === 'on',
  ),
  statusChangeType: text(nonEmpty, {
    description: 'Name of the event type for a status change.',
    default: 'status_change',
    examples: ['status_change', 'status_changed'],
  }),
  readOnly: toggle({
    description: 'Imported tickets cannot be edited in the service; their source of truth stays elsewhere.',
  }),
  managedBy: text(nonEmpty, {
    description: 'Name of the external system that owns the tickets.',
    examples: ['Zendesk'],
  }),
  /** Whether messages carry mail headers (push/message-ids.ts). */
  messageIds: word(
    ['on', 'off'],
    {
      description:
        'Whether messages carry the ids of their mails (messageId, inReplyToId, referencesIds), or ids made of the source where the export has none: a delta recognises them by these, and a late reply to an old mail finds its ticket. A helpdesk that refuses them, or that cannot be read, gets the messages without.',
      default: 'on',
    },
    (chosen) => chosen === 'on',
  ),
};
