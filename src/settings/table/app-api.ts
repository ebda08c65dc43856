/** Settings of the app API: its address, the names of its headers, and the mapping of usage events. */

import { z } from 'zod';
import { option } from '../option-spec.ts';
import { bad, good, type Parsed, parseServiceUrl, quoted } from '../parsers.ts';
import { structure, text } from '../setting.ts';

export const APP_API = {
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  baseUrl: text(parseServiceUrl, {
    description: 'Address of the app API.',
    examples: ['https://appapi.example.com'],
    flag: option('Where to send it', '--app-url <url>', 'address of the app API', {
      byDefault: 'HELPDESK_APP_URL, appApi.baseUrl',
    }),
    env: 'HELPDESK_APP_URL',
    inSandbox: 'default',
  }),
  appIdHeader: text(headerName, {
    description: 'Name of the header that names the app.',
    default: 'X-Mantle-App-Id',
    inSandbox: 'default',
  }),
  apiKeyHeader: text(headerName, {
    description: 'Name of the header with the key of the app.',
    default: 'X-Mantle-App-Api-Key',
    inSandbox: 'default',
  }),
  /** As it was written, not checked yet. */
  usageEvents: structure(z.record(z.string(), z.unknown()), {
    description: 'How a row becomes a usage event, in the language of mappings (see docs/billing-data.md).',
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
