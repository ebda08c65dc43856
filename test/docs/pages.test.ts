/** The pages of the documentation: nothing leads nowhere, nothing is shown that is not there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkMapping } from '../../src/mapping/detect/builtin-layouts.ts';
import { resolveSettings } from '../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';
import { anchorsOf, blocksOf, linksOf, pageOf, pages, root } from './markdown.ts';

const all = pages();

describe('every page', () => {
  it.each(all.map((page) => [page.file, page] as const))('%s has no dead link', (file, page) => {
    const broken = linksOf(page).filter((link) => {
      if (/^[a-z]+:/.test(link)) return !/^(https?|mailto):/.test(link);
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : relative(root, join(root, dirname(file), decodeURIComponent(path)));
      if (target.startsWith('..') || !existsSync(join(root, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(pageOf(target)).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(all.map((page) => [page.file, page] as const))('%s shows settings that hold', (_, page) => {
    const settings = blocksOf(page).filter(
      ({ language, text }) =>
        language === 'yaml' &&
        /^(target|source|run|agents|fallbackAgent|customersWithoutEmail|mapping|appApi):/m.test(text),
    );
    for (const { text } of settings) {
      const file = parseSettingsFile(text, 'helpdesk-import.yaml', checkMapping);
      expect(() => resolveSettings({ flags: {}, env: {}, file }), text).not.toThrow();
    }
  });
});

it('the index names each page', () => {
  const index = ['docs/README.md', 'docs/platforms/README.md'].map((file) => pageOf(file).text).join('\n');
  const named = all.filter(({ file }) => file.startsWith('docs/') && file !== 'docs/README.md');
  expect(
    named.filter(({ file }) => !index.includes(`${file.replace(/^docs\/(?:platforms\/(?!README))?/, '(')})`)),
  ).toEqual([]);
});

describe('the sentences of troubleshooting', () => {
  /** All texts of the program, with what is put into them left out. */
  const program = [...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })]
    .filter((name) => /\.(?:ts|yaml)$/.test(name))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    .concat(readFileSync(join(root, 'bin/helpdesk-import.js'), 'utf8'))
    .join('\n');
  const { text } = pageOf('docs/troubleshooting.md');
  const rows = [...text.matchAll(/^\| \*([^*]+)\*/gm)].map(([, sentence = '']) => sentence);

  it('are more than eight', () => expect(rows.length).toBeGreaterThan(8));

  it.each(rows)('the program says: %s', (sentence) => {
    for (const part of sentence.split('…').map((words) => words.trim()))
      if (part !== '') expect(program).toContain(part);
  });
});
