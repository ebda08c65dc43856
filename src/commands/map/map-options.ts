/** The options of `map`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const MAP_FORMATS = ['csv', 'jsonl', 'nginx', 'caddy', 'notices'] as const;
export type MapFormat = (typeof MAP_FORMATS)[number];

export const MAP_OPTIONS: readonly OptionSpec[] = optionsOfRun(
  'map',
  [
    {
      flags: `--format <${MAP_FORMATS.join('|')}>`,
      description: 'a table of tickets, redirects for a web server, or a notice for each old ticket',
      byDefault: 'csv',
      example: 'helpdesk-import map --format jsonl',
      group: 'What to do',
    },
    {
      flags: '--source-url <template>',
      description: 'address of a ticket in the old helpdesk, with {id} for its id there',
      byDefault: 'source.ticketUrl',
      example: "helpdesk-import map --source-url 'https://acme.zendesk.com/agent/tickets/{id}'",
      group: 'What to do',
    },
    {
      flags: '--target-url <template>',
      description: 'address of a ticket in the new helpdesk, with {id} for its id there',
      byDefault: 'target.ticketUrl',
      example: "helpdesk-import map --target-url 'https://helpdesk.example.com/tickets/{id}'",
      group: 'What to do',
    },
    {
      flags: '--notice <text>',
      description: 'with --format notices: the text to post, with {url} and {id} of the new ticket',
      example: "helpdesk-import map --format notices --notice 'Continued at {url}'",
      group: 'What to do',
    },
    ['--checkpoint', undefined, undefined, undefined, 'What to read'],
    {
      flags: '--sandbox [dir]',
      description: 'the checkpoint of the imports into the local service',
      byDefault: 'helpdesk-import.sandbox',
      example: 'helpdesk-import map --sandbox',
      group: 'What to read',
    },
    ['--config', 'settings file, which may name the checkpoint and the addresses'],
    {
      flags: '-o, --output <file>',
      description: 'file to write',
      byDefault: 'standard output',
      example: 'helpdesk-import map -o tickets.csv',
      group: 'What is written',
    },
  ],
  false,
);

export function mapHelp(): string {
  return `
Formats:
  csv, jsonl   old id, old address, new id, new address and state of every ticket
  nginx        redirects from the old addresses: include the file in http { … }
  caddy        redirects from the old addresses: import the file in the block of the old site
  notices      JSONL with the old id and a text for each imported ticket, to post there with the old helpdesk's API`;
}
