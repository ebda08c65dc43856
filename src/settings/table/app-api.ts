/** Settings of the app API: where it is, what its headers are called, and how usage events are sent. */
import {
  bad,
  good,
  nonEmpty,
  type Parsed,
  parsePath,
  parseServiceUrl,
  quoted,
  wholeNumber,
} from '../parsers.ts';
import { amount, text, whole, word } from '../setting.ts';

/** What to do about a usage event without a time: `reject` it, or `send` it, and the service takes the time of the request. */
const MISSING_TIMESTAMPS = ['reject', 'send'] as const;
export type MissingTimestamp = (typeof MISSING_TIMESTAMPS)[number];

/** No service is known to take more; a request of this many is about a megabyte. */
const MOST_EVENTS = 5_000;

/** What the checkpoint of usage events is called unless it is named: for a service, and in the folder of a sandbox. */
export const USAGE_CHECKPOINTS = ['helpdesk-import.usage.sqlite', 'usage.sqlite'] as const;

export const APP_API = {
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  baseUrl: text(parseServiceUrl, {
    meaning: 'Address of the app API.',
    examples: ['https://appapi.example.com'],
    flag: {
      flags: '--app-url <url>',
      description: 'address of the app API',
      byDefault: 'HELPDESK_APP_URL, appApi.baseUrl',
      group: 'Where to send it',
    },
    env: 'HELPDESK_APP_URL',
    inSandbox: 'default',
  }),
  /** Without a slash at its end. */
  apiPath: text(parsePath, {
    meaning: 'Path of the app API below its address.',
    default: '/v1',
    inSandbox: 'default',
  }),
  appIdHeader: text(headerName, {
    meaning: 'Name of the header that names the app.',
    default: 'X-Mantle-App-Id',
    inSandbox: 'default',
  }),
  apiKeyHeader: text(headerName, {
    meaning: 'Name of the header with the key of the app.',
    default: 'X-Mantle-App-Api-Key',
    inSandbox: 'default',
  }),
  eventsPerRequest: amount(wholeNumber(1, MOST_EVENTS), {
    meaning: 'Usage events in one request; with 1 each event goes alone, without a list.',
    default: 100,
    flag: {
      flags: '--events-per-request <n>',
      description: 'events in one request; with 1 each event goes alone, without a list',
      group: 'How to send it',
    },
  }),
  missingTimestamp: word(MISSING_TIMESTAMPS, {
    meaning:
      'A usage event without a time: "reject" it, or "send" it as it is, so that it counts from now on.',
    default: 'reject',
  }),
  checkpoint: text(nonEmpty, {
    meaning: 'The checkpoint of usage events, relative to this file.',
    default: USAGE_CHECKPOINTS[0],
    flag: {
      flags: '--checkpoint <file>',
      description: 'the SQLite checkpoint of usage events',
      group: 'Where to send it',
    },
    isPath: true,
    inSandbox: { default: USAGE_CHECKPOINTS[1] },
  }),
  rejects: text(nonEmpty, {
    meaning: 'Folder for rejected and failed usage events, relative to this file.',
    default: 'helpdesk-import.usage-rejects',
    flag: {
      flags: '--rejects <dir>',
      description: "where rejected and failed events go, in the source's own columns",
      byDefault: 'helpdesk-import.usage-rejects/',
      group: 'What is written',
      carried: true,
    },
    isPath: true,
    inSandbox: { default: 'usage-rejects' },
  }),
  /** As it was written, not checked yet. */
  usageEvents: whole('mapping', {
    meaning: 'How a row becomes a usage event, in the language of mappings (see docs/billing-data.md).',
  }),
};

/** A name as HTTP allows it, and none that the program or the connection sets itself. */
function headerName(text: string): Parsed<string> {
  const name = text.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return bad(`must be the name of a header, not ${quoted(text)}`);
  if (TAKEN_HEADERS.has(name.toLowerCase()))
    return bad(`must not be ${name}, which is sent for another purpose`);
  return good(name);
}

const TAKEN_HEADERS = new Set([
  'host',
  'content-type',
  'content-length',
  'accept',
  'connection',
  'user-agent',
]);
