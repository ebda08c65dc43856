/** What the tests look for in pages of the documentation: their files, blocks of code, headings and links. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

export interface Page {
  /** From the root of the project, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** README.md and every page below docs/. */
export function pages(): Page[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted();
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...docs].map(pageOf);
}

export function pageOf(file: string): Page {
  return { file, text: readFileSync(join(root, file), 'utf8') };
}

export interface Block {
  /** `sh`, `yaml` …; empty for an indented one. */
  readonly language: string;
  readonly text: string;
}

const FENCED = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;

export function blocksOf({ text }: Page): Block[] {
  const fenced = [...text.matchAll(FENCED)].map(([, language = '', body = '']) => ({ language, text: body }));
  const rest = text.replaceAll(FENCED, '');
  const indented = [...rest.matchAll(/(?:^|\n)\n((?: {4}.*\n(?:\n(?= {4}))?)+)/g)].map(([, body = '']) => ({
    language: '',
    text: body.replaceAll(/^ {4}/gm, ''),
  }));
  return [...fenced, ...indented];
}

/** Commands within sentences and tables: `` `helpdesk-import …` ``. */
export function inlineCode({ text }: Page): string[] {
  const prose = text.replaceAll(FENCED, '').replaceAll(/^ {4}.*$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** Targets of links and pictures, code left aside. */
export function linksOf({ text }: Page): string[] {
  const prose = text.replaceAll(FENCED, '').replaceAll(/`[^`\n]*`/g, '');
  return [
    ...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g),
    ...prose.matchAll(/(?:href|src)="([^"]+)"/g),
  ].map(([, target = '']) => target);
}

/** Anchors of the headings, as GitHub makes them. */
export function anchorsOf({ text }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replaceAll(FENCED, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    for (let copy = 0; ; copy++) {
      const anchor = copy === 0 ? slug : `${slug}-${copy}`;
      if (anchors.has(anchor)) continue;
      anchors.add(anchor);
      break;
    }
  }
  return anchors;
}
