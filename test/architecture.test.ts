import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** These compose everything: the engine, usage events, the commands, and the files at the root of src/. */
const composing = new Set(['import', 'billing', 'commands', 'cli']);

/** Which rooms of src/, or single files of them, a room may import from, besides itself. */
const allowed: Record<string, readonly string[]> = {
  domain: [],
  source: ['domain'],
  mapping: ['domain', 'source/keys', 'view/conversation'],
  discover: ['domain', 'mapping', 'source'],
  check: ['domain'],
  plan: ['domain', 'checkpoint'],
  checkpoint: ['domain'],
  push: ['domain', 'helpdesk'],
  export: ['domain', 'helpdesk'],
  verify: ['domain', 'view/conversation', 'helpdesk'],
  attachments: ['domain', 'settings', 'verify', 'helpdesk'],
  settings: ['domain'],
  sandbox: ['domain', 'check', 'view', 'view/conversation', 'view/html'],
  helpdesk: ['domain'],
  'view/conversation': ['domain'],
  view: ['domain', 'plan', 'view/conversation', 'view/terminal'],
  'view/terminal': ['domain', 'plan', 'view', 'view/conversation'],
  'view/html': ['domain', 'plan', 'view', 'view/conversation', 'view/terminal'],
};

/** Rooms that are known by the folder below them. */
const HALLS = new Set(['view']);

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
  const [first, second, third] = relative(src, path).split('/');
  if (first === undefined || second === undefined) return '';
  return HALLS.has(first) && third !== undefined ? `${first}/${second}` : first;
};

/** Groups of files that import each other, imports of types too (Tarjan's strongly connected components). */
function cycles(): string[][] {
  const all = files(src);
  const targets = new Map(all.map((file) => [file, imports(file).filter((target) => all.includes(target))]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string) => {
    const own = index.size;
    index.set(file, own);
    low.set(file, own);
    stack.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? own, low.get(target) ?? own));
    }
    if (low.get(file) !== own) return;
    const members = stack.splice(stack.indexOf(file));
    if (members.length > 1) found.push(members.map((member) => relative(src, member)).sort());
  };
  for (const file of all) if (!index.has(file)) visit(file);
  return found;
}

describe('architecture', () => {
  it('imports between folders of src/ point one way', () => {
    const wrong: string[] = [];
    for (const file of files(src)) {
      const from = folderOf(file);
      if (from === '' || composing.has(from)) continue;
      for (const target of imports(file)) {
        const to = folderOf(target);
        if (to === from) continue;
        const one = relative(src, target).replace(/\.ts$/, '');
        if (![to, one].some((name) => allowed[from]?.includes(name)))
          wrong.push(`${relative(src, file)} imports ${relative(src, target)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('the engine imports no command and no view', () => {
    const wrong = ['import', 'billing']
      .flatMap((folder) => files(join(src, folder)))
      .filter((file) =>
        imports(file).some((target) => /^(cli|commands|view(?:\/.*)?)$/.test(folderOf(target))),
      );
    expect(wrong.map((file) => relative(src, file))).toEqual([]);
  });

  it('at most 25 files see the settings whole; the others name the sections that they need', () => {
    const text = (file: string) => readFileSync(file, 'utf8');
    const whole =
      /(?<!Pick<\s*)\bSettings\b(?!\[)|\b(?:load|resolve)Settings\(|\b(?:Loaded|Resolved)Settings\b/;
    const body = (file: string) => text(file).replaceAll(/^import [^;]*;$|\/\*[\s\S]*?\*\/|\/\/.*/gm, '');
    const seeing = files(src).filter(
      (file) =>
        /settings\/settings\.ts'|Settings\(|interface Settings\b/.test(text(file)) && whole.test(body(file)),
    );
    expect(seeing).toContain(resolve(src, 'settings/settings.ts'));
    expect(seeing.map((file) => relative(src, file)).slice(25)).toEqual([]);
  });

  it('lists every folder of src/', () => {
    const folders = [...new Set(files(src).map(folderOf))].filter((name) => name !== '');
    expect(folders.filter((name) => !composing.has(name) && !(name in allowed))).toEqual([]);
  });

  it('no file imports itself by way of others', () => {
    expect(cycles()).toEqual([]);
  });

  it('only main.ts has the streams of the process, which hide secrets and control characters', () => {
    const touching = files(src).filter((file) => {
      const text = readFileSync(file, 'utf8');
      // where what the program takes from the process is called so
      if (/\bprocess: ProcessContext\b/.test(text)) return false;
      return /\bconsole\.|\bprocess\.(?:stdout|stderr)\b/.test(text);
    });
    expect(touching.map((file) => relative(src, file))).toEqual(['main.ts']);
  });

  it('text goes to the screen through the functions that make one line of it', () => {
    const writing = files(src).filter((file) =>
      /\b(?:stdout|stderr|stream)\.write\((?!'[^']*'\))/.test(readFileSync(file, 'utf8')),
    );
    const through = ['cli/program.ts', 'cli/screen.ts', 'cli/show-error.ts', 'view/terminal/screen.ts'];
    // It has the streams themselves.
    const all = [...through, 'main.ts'];
    expect(writing.map((file) => relative(src, file)).filter((name) => !all.includes(name))).toEqual([]);
    for (const name of ['cli/screen.ts', 'view/terminal/screen.ts', 'view/terminal/error-view.ts'])
      expect(readFileSync(join(src, name), 'utf8')).toContain('screenText(');
  });

  it('YAML is written by one module, which escapes what is not a value', () => {
    const writing = files(src).filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /from 'yaml'/.test(text) && /\bstringify\b(?<!JSON\.stringify)|document\.toString\(/.test(text);
    });
    expect(writing.map((file) => relative(src, file))).toEqual(['domain/text/yaml.ts']);
  });

  it('no folder has more than 25 files', () => {
    const sizes = Map.groupBy(files(src), (file) => relative(src, dirname(file)));
    expect([...sizes].filter(([, { length }]) => length > 25).map(([name]) => name)).toEqual([]);
  });

  it('uses nothing that the oldest Node it runs on does not have', () => {
    const newer =
      /\b(?:Async)?DisposableStack\b|\bRegExp\.escape\b|\bPromise\.try\b|\bError\.isError\b|\bFloat16Array\b|\.(?:from|to)Base64\(/;
    const code = (file: string) => readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(files(src).filter((file) => newer.test(code(file)))).toEqual([]);
  });

  it('asks no table of words by a bracket, as every object has a word "constructor"', () => {
    const asked = files(src).flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const tables = text.matchAll(/^(?:export )?const (\w+): (?:Readonly<)?Record<string,/gm);
      return [...tables].flatMap(([, name]) =>
        text
          .split('\n')
          .filter((line) => new RegExp(`\\b${name}\\[`).test(line) && !line.includes(`hasOwn(${name}`))
          .map((line) => `${relative(src, file)}: ${line.trim()}`),
      );
    });
    expect(asked).toEqual([]);
  });

  it('the process exits in main.ts only', () => {
    const exits = files(src).filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(exits.map((file) => relative(src, file))).toEqual(exits.length === 0 ? [] : ['main.ts']);
  });
});
