/** The reference pages: commands with their options, settings, environment, exit codes, problem codes. All from the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { COMMON } from '../../src/cli/command.ts';
import { allCommands, type LoadedCommand, titleOf } from '../../src/cli/command-list.ts';
import { BOUNDS } from '../../src/domain/limits.ts';
import { allProblemWords } from '../../src/domain/text/problem-words.ts';
import { builtinRecipe, recipeNames, variablesIn } from '../../src/export/recipe.ts';
import { builtinLayoutNames, builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { type Condition, mainColumn } from '../../src/mapping/language/expression.ts';
import type { Visibility } from '../../src/mapping/language/layout.ts';
import { OPTION_GROUPS, type OptionSpec } from '../../src/settings/option-spec.ts';
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
  const common = ['### Options of every command', optionsTable(COMMON)];
  return [...common, ...COMMANDS.map(commandReference)].join('\n\n');
}

function commandReference(spec: LoadedCommand): string {
  const usage = [
    'helpdesk-import',
    titleOf(spec),
    '[options]',
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
    'finished; some tickets are rejected, failed, or older than what was imported, or something is lost with `--fail-on lost` (also after a dry run)',
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
  [['HELPDESK_TOKEN', 'HELPDESK_TOKEN_FILE'], 'a bearer token or API key, or the file that holds it'],
  [
    ['HELPDESK_TOKEN_URL', 'HELPDESK_CLIENT_ID', 'HELPDESK_CLIENT_SECRET', 'HELPDESK_SCOPE'],
    'OAuth 2.0, `client_credentials`',
  ],
  [
    ['HELPDESK_REFRESH_TOKEN_FILE'],
    'OAuth 2.0, `refresh_token`: the file that holds the token; a replaced one is written back',
  ],
  [
    ['HELPDESK_APP_URL', 'HELPDESK_APP_ID', 'HELPDESK_APP_KEY'],
    'the app API: its address, the id of the app and its key',
  ],
  [
    ['HELPDESK_FILES_CREDENTIALS_FILE'],
    'file with credentials for the hosts of files, one a line (docs/attachments.md)',
  ],
  [['NO_COLOR', 'FORCE_COLOR', 'CI', 'HTTPS_PROXY', 'NO_PROXY'], 'as everywhere'],
];

export function variablesTable(): string {
  return table(
    ['variable', 'meaning'],
    VARIABLES.map(([names, meaning]) => [names.map((name) => `\`${name}\``).join(', '), meaning]),
  );
}

export function problemsTable(): string {
  const rows = Object.entries(allProblemWords())
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { title, todo }]) => [`\`${code}\``, title, todo]);
  return table(['code', 'what is wrong', 'what to do'], rows);
}

/** Of each layout, what customers saw and what is left out, by its columns and their words. */
export function visibilityTable(): string {
  const rows = builtinLayouts().map(({ name, messages = [], exclude = [] }) => {
    const rules = messages.flatMap(({ public: rule, from, each: list }) => {
      const place = from ?? (list === undefined ? '' : mainColumn(list));
      return rule === undefined
        ? []
        : [{ rule, place: place === '' ? 'the description' : `all \`${place}\`` }];
    });
    const drafts = messages.flatMap(({ leaveOut }) => (leaveOut === undefined ? [] : [said(leaveOut)]));
    const each = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))].join('; ');
    return [
      `\`${name}\``,
      each(
        rules.map(({ rule, place }) => (typeof rule === 'object' ? said(rule) : rule === true ? place : '')),
      ),
      each(rules.map(internalBy)),
      each([...drafts, ...exclude.map(({ when }) => said(when))]),
    ];
  });
  return table(['layout', 'public', 'internal by', 'left out'], rows);
}

function internalBy({ rule, place }: { readonly rule: Visibility; readonly place: string }): string {
  if (rule === 'unknown') return `${place}, as the export does not say it`;
  if (rule === false) return place;
  if (rule === true) return '';
  const words = rule.internal ?? rule.known;
  return words === undefined
    ? 'any other word'
    : `${words.map((word) => word || '(empty)').join(', ')}, any other word`;
}

function said({ column, is, in: words, empty, all, any, not }: Condition): string {
  const name = `\`${mainColumn(column)}\``;
  if (all !== undefined) return all.map(said).join(' and ');
  if (any !== undefined) return any.map(said).join(' or ');
  if (not !== undefined) return `not ${said(not)}`;
  if (empty !== undefined) return `${name} is ${empty ? 'empty' : 'filled'}`;
  return words === undefined ? `${name} is ${is}` : `${name} is ${words.join(', ')}`;
}

/** What each recipe fetches, and what its author could not find. */
export function recipesTable(): string {
  const rows = recipeNames().map((name) => {
    const recipe = builtinRecipe(name);
    const { resources, limit, unknown = [], address } = recipe;
    const fetched = resources
      .filter(({ file }) => file === undefined)
      .map((one) => `${one.name.replaceAll('_', ' ')}${one.history === true ? ' (`--history`)' : ''}`);
    const open = [unknown, ...resources.map((one) => one.unknown ?? [])].flat();
    const ways = recipe.auth.map((way) =>
      variablesIn([way, recipe.headers])
        .map((one) => `\`${one}\``)
        .join(' '),
    );
    return [
      `\`${name}\``,
      [
        `\`${address.from}\``,
        ways.join(' or '),
        ...(address.byDefault === undefined ? [] : [`(${address.byDefault})`]),
      ].join(' '),
      `${fetched.join(', ')}${open.length === 0 ? '' : `; not found in the public reference: ${open.join('; ')}`}`,
      `${limit.requests} in ${limit.seconds} s${limit.total === undefined ? '' : ', or as it says'}`,
    ];
  });
  return table(['platform', 'variables', 'fetches', 'requests'], rows);
}

export const PLATFORMS = resolve(import.meta.dirname, '../../docs/platforms');

/** The page whose table has a row for the layout. */
export function platformPage(layout: string): string | undefined {
  return readdirSync(PLATFORMS).find(
    (page) => page !== 'README.md' && platformText(page).includes(`\n| \`${layout}\` |`),
  );
}

export function layoutsTable(): string {
  const names = builtinLayoutNames().toSorted();
  const pages = [...new Set(names.flatMap((name) => platformPage(name) ?? []))].toSorted();
  const rows = pages.map((page) => [
    `[${/^# (.+)$/m.exec(platformText(page))?.[1]}](${page})`,
    names
      .filter((name) => platformPage(name) === page)
      .map((name) => `\`${name}\``)
      .join(', '),
  ]);
  return table(['page', 'layouts'], rows);
}

function platformText(page: string): string {
  return readFileSync(join(PLATFORMS, page), 'utf8');
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
