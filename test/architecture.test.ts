import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** These compose everything: the engine (app/), usage events (billing/), the commands (cli/), and the files at the root. */
const composing = new Set(['app', 'billing', 'cli']);

/** Which folders of src/ a folder may import from, besides itself. */
const allowed: Record<string, readonly string[]> = {
  domain: [],
  pace: ['domain'],
  source: ['domain'],
  sqlite: [],
  stage: ['domain', 'sqlite'],
  time: ['domain'],
  mapping: ['domain', 'time', 'conversation'],
  check: ['domain', 'time'],
  plan: ['domain'],
  checkpoint: ['domain', 'sqlite'],
  'core-api': ['domain', 'pace'],
  'app-api': ['domain', 'pace', 'core-api'],
  push: ['domain', 'pace'],
  verify: ['domain', 'conversation'],
  rejects: ['domain'],
  conversation: ['domain'],
  report: ['domain', 'conversation'],
  sandbox: ['domain', 'time', 'check', 'conversation'],
  settings: ['domain', 'time'],
  'target-identity': ['domain'],
  discover: ['domain', 'time', 'mapping'],
};

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    resolve(dirname(file), match[1] ?? ''),
  );
}

const folderOf = (path: string) => {
  const parts = relative(src, path).split('/');
  return parts.length > 1 ? (parts[0] ?? '') : '';
};

describe('architecture', () => {
  it('imports between folders of src/ point one way', () => {
    const wrong: string[] = [];
    for (const file of files(src)) {
      const from = folderOf(file);
      if (from === '' || composing.has(from)) continue;
      for (const target of imports(file)) {
        const to = folderOf(target);
        if (to === from) continue;
        if (!(allowed[from] ?? []).includes(to))
          wrong.push(`${relative(src, file)} imports ${relative(src, target)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('the engine does not know the commands', () => {
    const wrong = ['app', 'billing']
      .flatMap((folder) => files(join(src, folder)))
      .filter((file) => imports(file).some((target) => folderOf(target) === 'cli'));
    expect(wrong.map((file) => relative(src, file))).toEqual([]);
  });

  it('knows every folder of src/', () => {
    const folders = readdirSync(src, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && files(join(src, entry.name)).length > 0)
      .map((entry) => entry.name);
    expect(folders.filter((name) => !composing.has(name) && !(name in allowed))).toEqual([]);
  });

  it('the process exits in main.ts only', () => {
    const exits = files(src).filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(exits.map((file) => relative(src, file))).toEqual(exits.length === 0 ? [] : ['main.ts']);
  });
});
