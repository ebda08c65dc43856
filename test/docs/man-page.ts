/** The man page, in the `man` macros, from the list of commands. `npm pack` writes it to docs/man. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { COMMON } from '../../src/cli/command.ts';
import { allCommands, titleOf } from '../../src/cli/command-list.ts';
import { OPTION_GROUPS, type OptionSpec } from '../../src/settings/option-spec.ts';
import { version } from '../../src/version.ts';
import { EXIT_CODES, VARIABLES } from './reference-tables.ts';

const COMMANDS = await allCommands();

export function manPage(version: string): string {
  const lines = [
    '.\\" Made from the list of commands: npm run docs',
    `.TH HELPDESK-IMPORT 1 "" "helpdesk-import ${version}" "User Commands"`,
    '.SH NAME',
    'helpdesk-import \\- moves support tickets with their messages and history into a helpdesk',
    '.SH SYNOPSIS',
    ...COMMANDS.flatMap(({ arguments: args = [], ...spec }, index) => [
      ...(index === 0 ? [] : ['.br']),
      `.B helpdesk-import ${escaped(titleOf(spec))}`,
      `.RI ${quoted(['[options]', ...args.map(([syntax]) => syntax)].join(' '))}`,
    ]),
    '.SH DESCRIPTION',
    text(
      'Reads the tickets that another helpdesk exported, checks them all before anything is sent, and imports them over the Core API of the helpdesk. A run that was stopped, killed or cut off is simply run again: it continues where it was, creates no ticket twice and loses none.',
    ),
    ...OPTION_GROUPS.flatMap((group) => groupLines(group, COMMON)),
    ...COMMANDS.flatMap((spec) => [
      `.SH ${escaped(titleOf(spec).toUpperCase())}`,
      text(`${spec.description.slice(0, 1).toUpperCase()}${spec.description.slice(1)}.`),
      ...(spec.arguments ?? []).flatMap(([syntax, meaning]) => [
        '.TP',
        `.I ${escaped(syntax)}`,
        text(meaning),
      ]),
      ...OPTION_GROUPS.flatMap((group) => groupLines(group, spec.options)),
      ...(spec.help === undefined ? [] : ['.PP', '.nf', ...spec.help().trim().split('\n').map(text), '.fi']),
    ]),
    '.SH ENVIRONMENT',
    ...VARIABLES.flatMap(([names, meaning]) => [
      '.TP',
      `.B ${escaped(names.join(', '))}`,
      text(meaning.replaceAll('`', '')),
    ]),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([codes, meaning]) => ['.TP', `.B ${codes.join(', ')}`, text(meaning)]),
    '.SH EXAMPLES',
    '.nf',
    ...[
      'helpdesk-import run export.jsonl --dry-run',
      'helpdesk-import run export.jsonl --sandbox',
      'helpdesk-import run export.jsonl --trial',
      'helpdesk-import run export.jsonl',
    ].map(text),
    '.fi',
  ];
  return `${lines.join('\n')}\n`;
}

function groupLines(group: string, options: readonly OptionSpec[]): string[] {
  const of = options.filter((option) => option.group === group);
  if (of.length === 0) return [];
  return [
    `.SS ${quoted(group)}`,
    ...of.flatMap(({ flags, description, byDefault }) => [
      '.TP',
      `.B ${escaped(flags)}`,
      text(byDefault === undefined ? description : `${description} (default: ${byDefault})`),
    ]),
  ];
}

/** A dot or an apostrophe at the beginning of a line would be a request. */
function text(line: string): string {
  return line
    .replace(/^(?=[.'])/, '\u0000')
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace('\u0000', '\\&');
}

function escaped(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}

function quoted(words: string): string {
  return `"${escaped(words).replaceAll('"', '\\(dq')}"`;
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(import.meta.dirname, '../../docs/man');
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, 'helpdesk-import.1'), manPage(version()));
}
