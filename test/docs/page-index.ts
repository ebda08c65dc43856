/** The index of the documentation: every page of docs/ by its heading, in the order of reading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ORDER: readonly (readonly [section: string, pages: readonly string[]])[] = [
  ['For a support lead', 'start what-comes-along platforms/README export cutover after-import'.split(' ')],
  [
    'For the person who runs it',
    'inspect-init mapping people attachments plan rehearsal large-exports unattended billing-data'.split(' '),
  ],
  ['If something is wrong', ['troubleshooting', 'contract']],
  ['Reference', ['reference', 'core-api']],
];
const ELSEWHERE = 'More';

interface Page {
  /** Below docs/, without its ending. */
  readonly name: string;
  readonly title: string;
}

/** One list a section; pages that no section names come last. The page of platforms lists those of its folder. */
export function pageIndex(docs: string): string {
  const pages = new Map(pagesIn(docs).map((page) => [page.name, page]));
  const sections: [string, Page[]][] = [];
  for (const [section, names] of ORDER) {
    const found = names.flatMap((name) => pages.get(name) ?? []);
    for (const { name } of found) pages.delete(name);
    sections.push([section, found]);
  }
  sections.push([ELSEWHERE, [...pages.values()].filter(({ name }) => !name.startsWith('platforms/'))]);
  return sections
    .filter(([, found]) => found.length > 0)
    .map(([section, found]) => `## ${section}\n\n${found.map(entry).join('\n')}`)
    .join('\n\n');
}

function entry({ name, title }: Page): string {
  return `- [${title}](${name}.md)`;
}

function pagesIn(docs: string): Page[] {
  if (!existsSync(docs)) return [];
  return readdirSync(docs, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.md'))
    .map((file) => relative(docs, join(file.parentPath, file.name)).replaceAll('\\', '/'))
    .filter((path) => path !== 'README.md')
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(docs, path), 'utf8');
      return {
        name: path.replace(/\.md$/, ''),
        title: /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? path,
      };
    });
}
