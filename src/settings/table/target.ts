import { z } from 'zod';
import { option, optional, withDefault } from '../option-spec.ts';
import {
  bad,
  good,
  nonEmpty,
  type Parsed,
  parseServiceUrl,
  parseSubject,
  parseTicketUrl,
  quoted,
  text,
  texts,
} from '../parsers.ts';

export const TARGET = z.object({
  /** Absent in a dry run and for the sandbox. */
  baseUrl: optional(text(parseServiceUrl), {
    description:
      'Address of the helpdesk. A version at its end, such as /v1, is the path of its Core API; otherwise that is /api/core/v1 below it.',
    examples: ['https://helpdesk.example.com'],
    env: 'HELPDESK_BASE_URL',
    flag: option('Where to send it', '--base-url <url>', 'address of the helpdesk', {
      byDefault: 'HELPDESK_BASE_URL',
      conflicts: ['--sandbox'],
    }),
    inSandbox: 'default',
  }),
  ticketUrl: optional(text(parseTicketUrl), {
    description:
      'Address of a ticket in the new helpdesk: {id} is replaced by its id there. For helpdesk-import links.',
    examples: ['https://helpdesk.example.com/tickets/{id}'],
  }),
  tag: withDefault(
    text((tag) => good(tag.trim())),
    'imported',
    { description: 'Tag that every imported ticket carries; an empty text turns it off.' },
  ),
  subject: optional(text(parseSubject), {
    description:
      'How subjects are written, for those who look for old numbers there: {subject} is replaced by the subject, {id} by the id in the source.',
    examples: ['"{subject} [#{id}]"'],
  }),
  channelId: optional(text(nonEmpty), {
    description:
      'Id of the channel for tickets without one in the export or mapping; it decides how replies leave, and the helpdesk chooses one if it is not set. helpdesk-import doctor lists them.',
    examples: ['chn_email'],
  }),
  statusChangeType: withDefault(text(nonEmpty), 'status_change', {
    description: 'Name of the event type for a status change.',
    examples: ['status_change', 'status_changed'],
  }),
  readOnly: optional(z.boolean(), {
    description: 'Imported tickets cannot be edited in the service; their source of truth stays elsewhere.',
  }),
  managedBy: optional(text(nonEmpty), {
    description: 'Name of the external system that owns the tickets.',
    examples: ['Zendesk'],
  }),
});

export type FilesPlace =
  | string
  | { readonly kind: 'target' }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export const FILES = z.object({
  to: optional(text(parsePlace), {
    description:
      'Where the files of the tickets are copied, so that they outlive the old account: a folder, "s3://bucket/prefix", or "target" for the service itself. Links in messages then lead there.',
    examples: ['s3://acme-files/helpdesk', 'target'],
    flag: option(
      'Where to send it',
      '--files <where>',
      'import the files too: to a folder, s3://bucket/prefix, or target',
    ),
    isPath: true,
  }),
  publicUrl: optional(text(parseServiceUrl), {
    description: 'Public address of the folder or bucket.',
    examples: ['https://files.example.com/helpdesk'],
  }),
  missing: withDefault(z.enum(['keep', 'note', 'reject']), 'keep', {
    description:
      'A file that cannot be fetched: "keep" its old link, "note" its name in the message as well, or "reject" the ticket.',
  }),
  hosts: optional(texts(parseHost), {
    description:
      'Hosts of the old helpdesk: links to files there are kept too, and they may be in your own network. Hosts of attachments on the internet and of credentials need not be named.',
    examples: [['acme.zendesk.com', '*.zdusercontent.com']],
  }),
});

export const APP_API = z.object({
  baseUrl: optional(text(parseServiceUrl), {
    description: 'Address of the app API.',
    examples: ['https://appapi.example.com'],
    env: 'HELPDESK_APP_URL',
    inSandbox: 'default',
  }),
  appIdHeader: withDefault(text(headerName), 'X-Mantle-App-Id', {
    description: 'Name of the header that names the app.',
    inSandbox: 'default',
  }),
  apiKeyHeader: withDefault(text(headerName), 'X-Mantle-App-Api-Key', {
    description: 'Name of the header with the key of the app.',
    inSandbox: 'default',
  }),
});

function parsePlace(text: string): Parsed<FilesPlace> {
  const where = text.trim();
  if (where === '') return bad('must not be empty');
  if (where === 'target') return good<FilesPlace>({ kind: 'target' });
  const [isBucket, bucket = '', prefix = ''] =
    /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(.*))?$/i.exec(where) ?? [];
  if (isBucket !== undefined)
    return good<FilesPlace>({ kind: 's3', bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') });
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(where))
    return bad(`must be a folder, s3://bucket/prefix or target, not ${quoted(where)}`);
  return good<FilesPlace>(where);
}

function parseHost(text: string): Parsed<string> {
  const host = text.trim().toLowerCase();
  return /^(?:\*\.)?[a-z\d.-]+(?::\d+)?$/.test(host)
    ? good(host)
    : bad(`must be the name of a host, not ${quoted(text)}`);
}

function headerName(text: string): Parsed<string> {
  const name = text.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return bad(`must be the name of a header, not ${quoted(text)}`);
  if (/^(host|content-type|content-length|accept|connection|user-agent)$/i.test(name))
    return bad(`must not be ${name}, which is sent for another purpose`);
  return good(name);
}
