/** Parts of the documentation that are made from the code. `npm run docs` writes them into the files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pageOf } from './markdown.ts';
import {
  commandsReference,
  exitCodesTable,
  layoutsTable,
  limitsTable,
  problemsTable,
  recipesTable,
  settingsTable,
  variablesTable,
  visibilityTable,
} from './reference-tables.ts';

const root = resolve(import.meta.dirname, '../..');

/** By the name in the markers `<!-- begin: name -->` and `<!-- end: name -->`. */
export const BLOCKS: Readonly<Record<string, () => string>> = {
  commands: commandsReference,
  settings: settingsTable,
  environment: variablesTable,
  'exit codes': exitCodesTable,
  limits: limitsTable,
  'who sees a message': visibilityTable,
  recipes: recipesTable,
  layouts: layoutsTable,
  'problem codes': problemsTable,
  pages: pageIndex,
};

/** Files with generated parts, and the parts that each must have. */
export const GENERATED_IN: Readonly<Record<string, readonly string[]>> = {
  'docs/reference.md': [
    'commands',
    'settings',
    'environment',
    'exit codes',
    'limits',
    'who sees a message',
    'problem codes',
  ],
  'docs/README.md': ['pages'],
  'docs/export.md': ['recipes'],
  'docs/platforms/README.md': ['layouts'],
};

const INDEX: readonly (readonly [section: string, pages: string])[] = [
  ['For a support lead', 'start what-comes-along platforms/README export cutover after-import'],
  [
    'For the person who runs it',
    'inspect-init mapping people attachments plan rehearsal large-exports unattended billing-data',
  ],
  ['If something is wrong', 'troubleshooting contract'],
  ['Reference', 'reference core-api'],
];

/** Pages by their headings, in the order of reading. */
function pageIndex(): string {
  const entry = (name: string) => {
    const title = /^# (.+)$/m.exec(pageOf(`docs/${name}.md`).text)?.[1]?.replaceAll('`', '');
    return `- [${title}](${name}.md)`;
  };
  const sections = INDEX.map(([section, names]) => [`## ${section}`, names.split(' ').map(entry).join('\n')]);
  return sections.flat().join('\n\n');
}

/** The text with every generated block as it should be. */
export function regenerate(text: string): string {
  return text.replaceAll(/<!-- begin: ([^>]+?) -->\n[\s\S]*?<!-- end: \1 -->/g, (whole, name: string) => {
    const block = BLOCKS[name];
    return block === undefined ? whole : `<!-- begin: ${name} -->\n${block()}\n<!-- end: ${name} -->`;
  });
}

export function pathOf(file: string): string {
  return join(root, file);
}

if (process.argv[1] === import.meta.filename) {
  for (const file of Object.keys(GENERATED_IN))
    writeFileSync(pathOf(file), regenerate(readFileSync(pathOf(file), 'utf8')));
}
