/** The reference pages: commands with their options, settings, environment, exit codes, problem codes. All from the code. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { allCommands, type LoadedCommand, titleOf } from '../../src/cli/command-list.ts';
import { BOUNDS } from '../../src/domain/limits.ts';
import { OPTION_GROUPS, type OptionSpec } from '../../src/settings/option-spec.ts';
import { allAdvice } from '../../src/view/problems.ts';
import { settingsReference } from './settings-reference.ts';

export function optionsTable(specs: readonly OptionSpec[]): string {
  const rows = OPTION_GROUPS.flatMap((group) =>
    specs
      .filter((spec) => spec.group === group)
      .map(({ flags, description, byDefault }) => [`\`${flags}\``, description, byDefault ?? '']),
  );
  return table(['option', 'meaning', 'default'], rows);
}

const COMMANDS = await allCommands();

/** Every command with its options. */
export function commandsReference(): string {
  return COMMANDS.map(commandReference).join('\n\n');
}

function commandReference(spec: LoadedCommand): string {
  const usage = [
    'helpdesk-import',
    titleOf(spec),
    ...(spec.options.length > 0 ? ['[options]'] : []),
    ...(spec.arguments ?? []).map(([syntax]) => syntax),
  ];
  const further = spec.help?.().trim();
  return [
    `### ${titleOf(spec)}`,
    capital(spec.description),
    `    ${usage.join(' ').trim()}`,
    ...(spec.arguments ?? []).map(([syntax, meaning]) => `\`${syntax}\`: ${meaning}`),
    ...(spec.options.length === 0 ? [] : [optionsTable(spec.options)]),
    ...(further === undefined ? [] : [['```text', further, '```'].join('\n')]),
  ].join('\n\n');
}

export function settingsTable(): string {
  const rows = settingsReference().map(({ key, description, allowed, byDefault, flag, env, example }) => [
    `\`${key}\``,
    description,
    allowed,
    byDefault === undefined ? '' : `\`${byDefault}\``,
    [flag, env]
      .filter((name) => name !== undefined)
      .map((name) => `\`${name}\``)
      .join(', '),
    example === undefined ? '' : `\`${example}\``,
  ]);
  return table(['key', 'meaning', 'allowed', 'default', 'also as', 'example'], rows);
}

/** What each exit code means to a script. */
export const EXIT_CODES: readonly (readonly [codes: readonly number[], meaning: string])[] = [
  [[0], 'everything done'],
  [[1], 'an internal error'],
  [[2], 'wrong usage or configuration, or you answered no (Ctrl-C is a no); nothing was sent'],
  [
    [3],
    'finished; some tickets are rejected, failed, or older than what was imported (also after a dry run)',
  ],
  [[4], 'finished; some tickets are in doubt, or the helpdesk has one of them twice'],
  [[5], 'authentication or permission refused'],
  [[6], 'stopped early: helpdesk unreachable, error budget spent, disk full; run again to resume'],
  [
    [130, 143],
    'interrupted (130: SIGINT, Ctrl-C; 143: SIGTERM, or SIGHUP of a closed terminal); requests under way were finished and recorded; run again to resume',
  ],
];

export function exitCodesTable(): string {
  return table(
    ['code', 'meaning'],
    EXIT_CODES.map(([codes, meaning]) => [codes.join(', '), meaning]),
  );
}

/** Every variable that the program reads. A test compares them with those that the code names. */
export const VARIABLES: readonly (readonly [names: readonly string[], meaning: string])[] = [
  [['HELPDESK_BASE_URL'], 'address of the helpdesk'],
  [['HELPDESK_SOURCE_NAME'], 'name of the source in the tags of its tickets'],
  [['HELPDESK_TOKEN', 'HELPDESK_TOKEN_FILE'], 'a bearer token or API key, or the file that holds it'],
  [
    ['HELPDESK_TOKEN_URL', 'HELPDESK_CLIENT_ID', 'HELPDESK_CLIENT_SECRET', 'HELPDESK_SCOPE'],
    'OAuth 2.0, `client_credentials`',
  ],
  [
    ['HELPDESK_REFRESH_TOKEN', 'HELPDESK_REFRESH_TOKEN_FILE'],
    'OAuth 2.0, `refresh_token`; a replaced token is written back to the file',
  ],
  [
    ['HELPDESK_APP_URL', 'HELPDESK_APP_ID', 'HELPDESK_APP_KEY'],
    'the app API: its address, the id of the app and its key',
  ],
  [
    ['HELPDESK_FILES_CREDENTIALS', 'HELPDESK_FILES_CREDENTIALS_FILE'],
    'credentials for the hosts of files, one per line, or the file that holds them (docs/attachments.md)',
  ],
  [
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'AWS_ENDPOINT_URL_S3'],
    'the S3-compatible service of `--files s3://…`, as for other programs',
  ],
  [['NO_COLOR', 'FORCE_COLOR', 'CI', 'HTTPS_PROXY', 'NO_PROXY'], 'as everywhere'],
];

export function variablesTable(): string {
  return table(
    ['variable', 'meaning'],
    VARIABLES.map(([names, meaning]) => [names.map((name) => `\`${name}\``).join(', '), meaning]),
  );
}

/** The promises of the README, in its words. */
export function promisesList(): string {
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  return /^## Promises\n\n((?:\d\. .+\n)+)/m.exec(readme)?.[1]?.trimEnd() ?? '';
}

export function problemsTable(): string {
  const rows = Object.entries(allAdvice())
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { title, todo }]) => [`\`${code}\``, title, todo]);
  return table(['code', 'what is wrong', 'what to do'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** `<` outside of code would be taken for a tag. */
function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The largest inputs that the program reads, and what happens beyond. */
export function limitsTable(): string {
  return table(
    ['what', 'at most', 'beyond that'],
    Object.values(BOUNDS).map(({ what, most, unit, beyond }) => [what, amountOf(most, unit), beyond]),
  );
}

function amountOf(most: number, unit: string): string {
  if (unit !== 'bytes') return `${most.toLocaleString('en')} ${unit}`;
  if (most >= 2 ** 30) return `${most / 2 ** 30} GiB`;
  return most >= 1024 * 1024 ? `${most / 1024 / 1024} MiB` : `${most / 1024} KiB`;
}
