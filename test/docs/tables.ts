/** Tables of the documentation that are made from the code. `npm run docs` writes them into the files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OPTION_GROUPS, type OptionSpec, RUN_OPTIONS } from '../../src/cli/options.ts';

const root = resolve(import.meta.dirname, '../..');

/** By the name that stands in the markers `<!-- begin: name -->` and `<!-- end: name -->`. */
export const BLOCKS: Readonly<Record<string, () => string>> = {
  'options of run': () => optionsTable(RUN_OPTIONS),
};

export const GENERATED_IN: readonly string[] = ['README.md', 'docs/contract.md'];

function optionsTable(specs: readonly OptionSpec[]): string {
  const rows = OPTION_GROUPS.flatMap((group) =>
    specs
      .filter((spec) => spec.group === group)
      .map(
        ({ flags, description, byDefault }) =>
          `| \`${cell(flags)}\` | ${cell(description)} | ${cell(byDefault ?? '')} |`,
      ),
  );
  return ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
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

if (process.argv[1] === import.meta.filename)
  for (const file of GENERATED_IN)
    writeFileSync(pathOf(file), regenerate(readFileSync(pathOf(file), 'utf8')));
