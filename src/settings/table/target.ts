/** Settings of the helpdesk, of the place of files, and of the app API. */
import { z } from 'zod';
import { option, optional, withDefault } from '../option-spec.ts';
import {
  bad,
  good,
  nonEmpty,
  type Parsed,
  parsePath,
  parseServiceUrl,
  parseSubject,
  parseTicketUrl,
  quoted,
  text,
  texts,
} from '../parsers.ts';

const onOff = z.enum(['on', 'off']).transform((chosen) => chosen === 'on');

export const TARGET = z.object({
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  baseUrl: optional(text(parseServiceUrl), {
    description: 'Address of the helpdesk service.',
    examples: ['https://helpdesk.example.com'],
    env: 'HELPDESK_BASE_URL',
    option: 'target.baseUrl',
    inSandbox: 'default',
  }),
  /** Without a slash at its end. */
  apiPath: withDefault(text(parsePath), '/api/core/v1', {
    description: 'Path of the Core API below the address.',
  }),
  /** Address of a ticket, with `{id}`. */
  ticketUrl: optional(text(parseTicketUrl), {
    description:
      'Address of a ticket in the new helpdesk: {id} is replaced by its id there. For helpdesk-import map and links.',
    examples: ['https://helpdesk.example.com/tickets/{id}'],
  }),
  /** Tag of every ticket; may be empty. */
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
      'Id of the channel for tickets without one in the export or mapping; it decides how replies leave, and the helpdesk chooses one where it is not set. helpdesk-import doctor lists them.',
    examples: ['chn_email'],
  }),
  /** Whether tickets carry identity tags (domain/identity.ts). */
  identityTag: withDefault(onOff, 'on', {
    description:
      'Every ticket carries its own tag (zendesk-1041) and one of its source (from-zendesk), by which it is found again without doubt. "off" leaves them out: more creates of unknown outcome are then held for a person, and a lost checkpoint cannot be rebuilt.',
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
  /** Whether messages carry mail headers (push/message-ids.ts). */
  messageIds: withDefault(onOff, 'on', {
    description:
      'Whether messages carry the ids of their mails (messageId, inReplyToId, referencesIds), or ids made of the source where the export lacks them: a delta recognises them by these, and a late reply to an old mail finds its ticket. A helpdesk that refuses them, or that cannot be read, gets the messages without.',
  }),
});

/** Where files go: a folder, the target, or a bucket. */
export type FilesPlace =
  | string
  | { readonly kind: 'target' }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export const FILES = z.object({
  to: optional(text(parsePlace), {
    description:
      'Where the files of the tickets are copied, so that they outlive the old account: a folder, "s3://bucket/prefix", or "target" for the service itself. Links in messages then lead there.',
    examples: ['s3://acme-files/helpdesk', 'target'],
    option: 'attachments.to',
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
    option: 'attachments.publicUrl',
  }),
  missing: withDefault(z.enum(['keep', 'note', 'reject']), 'keep', {
    description:
      'A file that cannot be fetched: "keep" its old link, "note" its name in the message as well, or "reject" the ticket.',
    option: 'attachments.missing',
  }),
  hosts: optional(texts(parseHost), {
    description:
      'Hosts of the old helpdesk: links to files there are kept too, and they may be in your own network. Hosts of attachments on the internet and of credentials need not be named.',
    examples: [['acme.zendesk.com', '*.zdusercontent.com']],
  }),
  s3Endpoint: optional(text(parseServiceUrl), {
    description: 'Address of the S3-compatible service, where it is not Amazon.',
    examples: ['https://s3.eu-central-003.backblazeb2.com'],
    env: 'AWS_ENDPOINT_URL_S3',
  }),
  s3Region: optional(text(nonEmpty), {
    description: 'Region of the bucket.',
    examples: ['eu-central-1'],
    env: 'AWS_REGION',
  }),
});

export const APP_API = z.object({
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  baseUrl: optional(text(parseServiceUrl), {
    description: 'Address of the app API.',
    examples: ['https://appapi.example.com'],
    flag: option('Where to send it', '--app-url <url>', 'address of the app API', {
      byDefault: 'HELPDESK_APP_URL, appApi.baseUrl',
    }),
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
  /** As it was written, not checked yet. */
  usageEvents: optional(z.record(z.string(), z.unknown()), {
    description: 'How a row becomes a usage event, in the language of mappings (see docs/billing-data.md).',
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

/** A name that HTTP allows and that neither the program nor the connection sets. */
function headerName(text: string): Parsed<string> {
  const name = text.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return bad(`must be the name of a header, not ${quoted(text)}`);
  if (/^(host|content-type|content-length|accept|connection|user-agent)$/i.test(name))
    return bad(`must not be ${name}, which is sent for another purpose`);
  return good(name);
}
