/** Settings of files: whether to import them, to where, from which hosts. */
import { option } from '../option-spec.ts';
import { bad, good, nonEmpty, type Parsed, parseServiceUrl, quoted } from '../parsers.ts';
import { text, texts, word } from '../setting.ts';

/** What happens to a ticket with a missing file. */
export const FILES_MISSING = ['keep', 'note', 'reject'] as const;

/** Where files go: a folder, the target, or a bucket. */
export type FilesPlace =
  | string
  | { readonly kind: 'target' }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export const FILES = {
  to: text(parsePlace, {
    description:
      'Where the files of the tickets are copied, so that they outlive the old account: a folder, "s3://bucket/prefix", or "target" for the service itself. Links in messages then lead there.',
    examples: ['s3://acme-files/helpdesk', 'target'],
    option: 'attachments.to',
    flag: option(
      'Where to send it',
      '--files <where>',
      'import the files too: to a folder, s3://bucket/prefix, or target',
      { carried: true },
    ),
    isPath: true,
  }),
  publicUrl: text(parseServiceUrl, {
    description: 'Public address of the folder or bucket.',
    examples: ['https://files.example.com/helpdesk'],
    option: 'attachments.publicUrl',
  }),
  missing: word(FILES_MISSING, {
    description:
      'A file that cannot be fetched: "keep" its old link, "note" its name in the message as well, or "reject" the ticket.',
    default: 'keep',
    option: 'attachments.missing',
  }),
  hosts: texts(parseHost, {
    description:
      'Hosts of the old helpdesk: links to files there are kept too, and they may be in your own network. Hosts of attachments on the internet and of credentials need not be named.',
    examples: [['acme.zendesk.com', '*.zdusercontent.com']],
  }),
  s3Endpoint: text(parseServiceUrl, {
    description: 'Address of the S3-compatible service, where it is not Amazon.',
    examples: ['https://s3.eu-central-003.backblazeb2.com'],
    env: 'AWS_ENDPOINT_URL_S3',
  }),
  s3Region: text(nonEmpty, {
    description: 'Region of the bucket.',
    examples: ['eu-central-1'],
    env: 'AWS_REGION',
  }),
};

function parsePlace(text: string): Parsed<FilesPlace> {
  const where = text.trim();
  if (where === '') return bad('must not be empty');
  if (where === 'target') return good<FilesPlace>({ kind: 'target' });
  const bucket = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(.*))?$/i.exec(where);
  if (bucket !== null)
    return good<FilesPlace>({
      kind: 's3',
      bucket: bucket[1] ?? '',
      prefix: (bucket[2] ?? '').replace(/^\/+|\/+$/g, ''),
    });
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
