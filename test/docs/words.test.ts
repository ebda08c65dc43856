/** One word for one thing, wherever people read: problems, losses, screens, pages, help and docs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { everyOption } from '../../src/cli/command.ts';
import { allCommands } from '../../src/cli/command-list.ts';
import { root } from '../support/cli.ts';

type Said = readonly [where: string, text: string];

const files = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`);
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** Sentences of the program: texts of two words and more. */
const inCode = (file: string): Said[] =>
  [...textOf(file).matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, quoted, template]) => (quoted ?? template ?? '').replaceAll(/\$\{[^{}]*\}/g, '…'))
    .filter(
      (text) => /[a-z] [a-z]/.test(text) && !/\b(?:SELECT|INSERT|UPDATE|CREATE|FROM|WHERE|JOIN)\b/.test(text),
    )
    .map((text) => [file, text]);

/** Without what is typed or is the name of a field or a table. */
const inPage = (file: string): Said[] =>
  textOf(file)
    .replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)|<!--[\s\S]*?-->/g, '…')
    .split('\n')
    .filter((line) => !line.startsWith('    '))
    .map((line) => [file, line]);

const inYaml = (file: string): Said[] =>
  textOf(file)
    .split('\n')
    .filter((line) => !line.startsWith('#') && /: /.test(line))
    .map((line) => [file, line.replaceAll(/`[^`]*`|\{[^}]*\}/g, '…')]);

/** The old helpdesk's and the API's own names. */
const OF_APIS = /^docs\/(?:platforms\/|core-api|export|mapping|contract|reference|billing-data)/;

const WORDS: readonly (readonly [pattern: RegExp, instead: string, isOf: (file: string) => boolean])[] = [
  [/\b(?:contacts?|requesters?)\b(?!\.\w|Id|_)/i, 'customer', (file) => !OF_APIS.test(file)],
  [/\b(?:the|a|this|your) target\b/i, 'the helpdesk', () => true],
  [
    /\b(?:source|previous|former) helpdesk\b|\bold (?:system|desk|service)\b/i,
    'the old helpdesk',
    () => true,
  ],
];

const commands = await allCommands();
const SAID: readonly Said[] = [
  ...files('src/domain/text', /(?<!vocabulary)\.yaml$/).flatMap(inYaml),
  ...files('src/plan', /\.yaml$/).flatMap(inYaml),
  ...['src/view', 'src/commands', 'src/verify', 'src/plan', 'src/sandbox'].flatMap((folder) =>
    files(folder, /\.ts$/).flatMap(inCode),
  ),
  ...commands.flatMap((command): Said[] => [
    [`help of ${command.name}`, command.description],
    [`help of ${command.name}`, command.help?.() ?? ''],
    ...everyOption(command).map(({ description }): Said => [`help of ${command.name}`, description]),
  ]),
  ...['README.md', ...files('docs', /\.md$/)].flatMap(inPage),
];

it.each(WORDS)('%s is never said: %s', (pattern, _, isOf) => {
  expect(SAID.length).toBeGreaterThan(1000);
  expect(SAID.filter(([where, text]) => isOf(where) && pattern.test(text)).map(String)).toEqual([]);
});
