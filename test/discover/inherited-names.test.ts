/** Columns, values and files that are called like what every object has: they are names like any other. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const TIME = '2024-01-02T03:04:05Z';

describe.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s', (name) => {
  it('as a table, a key, a column and a role', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('all'));
    const put = (file: string, lines: string[]) =>
      writeFileSync(folder.join(`all/${file}`), `${lines.join('\n')}\n`);
    put(`${name}.csv`, [
      `id,title,${name}_id,requester_email,created_at`,
      `1,One,7,a@example.com,${TIME}`,
      `2,Two,8,b@example.com,${TIME}`,
    ]);
    put('comments.csv', [
      `id,${name},body,author_email,created_at`,
      `1,1,hello,a@example.com,${TIME}`,
      `2,2,hello,b@example.com,${TIME}`,
    ]);
    put('users.csv', [`${name},name,email,role`, `7,A,a@example.com,${name}`, '8,B,b@example.com,agent']);
    for (const args of [
      ['inspect', 'all'],
      ['init', 'all', '--yes'],
      ['run', 'all', '--dry-run'],
    ]) {
      const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path });
      expect([0, 2, 3], stderr).toContain(code);
      expect(stdout + stderr).not.toMatch(/native code|bug in helpdesk-import/);
    }
  });

  it('as a status that somebody has to decide about', async () => {
    using folder = temporaryFolder();
    writeFileSync(
      folder.join('a.csv'),
      `id,subject,email,created_at,status,body\n1,H,a@example.com,${TIME},${name},hello\n2,H,b@example.com,${TIME},open,hello\n`,
    );
    await commandLine(['init', 'a.csv', '--propose', '--yes'], { cwd: folder.path });
    const { code, stderr } = await commandLine(['run', 'a.csv', '--dry-run'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`values.${name} is still to be decided`);
  });
});

const ROOT = join(import.meta.dirname, '../..');
const EXPORTS = [
  ...readdirSync(join(ROOT, 'fixtures/layouts')).map((name) => join('fixtures/layouts', name)),
  'fixtures/native/good',
].filter((folder) => documents(folder).length > 0);

describe('an object with a key called toString, in the place of each value in turn', () => {
  it.each(EXPORTS)('%s', async (export_) => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('all'));
    let most = 0;
    for (const name of documents(export_)) {
      const text = readFileSync(join(ROOT, export_, name), 'utf8');
      const records = name.endsWith('.jsonl') ? text.trim().split('\n') : [text];
      const spoilt = records.flatMap((record) => spoiltCopies(JSON.parse(record)));
      most += spoilt.length;
      // A document of each, and all of them as lines beside what is whole.
      if (!name.endsWith('.jsonl'))
        spoilt.forEach((each, at) => {
          writeFileSync(folder.join(`all/${name.replace('.json', '')}_${at}.json`), JSON.stringify(each));
        });
      else
        writeFileSync(
          folder.join(`all/${name}`),
          [...records, ...spoilt.map((each) => JSON.stringify(each))].join('\n'),
        );
      writeFileSync(folder.join(`all/${name}`), text, { flag: name.endsWith('.jsonl') ? 'a' : 'w' });
    }
    expect(most).toBeGreaterThan(5);
    for (const args of [
      ['inspect', 'all'],
      ['init', 'all', '--yes', '--settings', folder.join('proposed.yaml')],
      ['run', 'all', '--dry-run'],
    ]) {
      const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path });
      expect([0, 2, 3], stderr).toContain(code);
      expect(stdout + stderr).not.toMatch(/bug in helpdesk-import|\[object Object\]/);
    }
  });
});

function documents(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).filter(
    (name) => /\.jsonl?$/.test(name) && !['settings.json', 'expected.json'].includes(name),
  );
}

/** The document once for each value in it, which is an object in that copy. */
function spoiltCopies(document: unknown): unknown[] {
  const places: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]) => {
    if (typeof value !== 'object' || value === null) places.push(path);
    else if (Array.isArray(value)) value.slice(0, 2).forEach((item, at) => void walk(item, [...path, at]));
    else for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(document, []);
  return places.map((path) => {
    const copy = structuredClone(document) as Record<string | number, unknown>;
    let holder = copy;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
    const last = path.at(-1);
    if (last !== undefined) holder[last] = { toString: 'text', valueOf: 1, toJSON: null };
    return copy;
  });
}
