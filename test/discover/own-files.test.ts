/** Exports of people's own: right with at most six changes, and never silently wrong without. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { specOf } from '../../src/discover/fields.ts';
import { openPaths } from '../../src/domain/source-file.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { mapped } from './mapped.ts';
import { init, initByKeys, type Typist } from './support.ts';
import { MAKERS, type Shown, wrongParts } from './wrong-parts.ts';

interface Case {
  readonly name: string;
  readonly encoding?: BufferEncoding;
  readonly files: Readonly<Record<string, string>>;
  readonly set: readonly string[];
  readonly expected: readonly string[];
}

const CASES: readonly Case[] = parse(readFileSync(join(import.meta.dirname, 'own-files.yaml'), 'utf8'));

/** A folder with the files of the case. */
function desk({ files, encoding }: Case) {
  const folder = folderOfTest();
  for (const [name, text] of Object.entries(files))
    writeFileSync(folder.join(name), Buffer.from(text, encoding));
  return {
    ...folder,
    files: Object.keys(files).map((name) => folder.join(name)),
    written: () => readFileSync(folder.join('helpdesk-import.yaml'), 'utf8'),
  };
}

async function plainly(files: readonly string[], settings: { mapping: unknown }): Promise<string[]> {
  const encoding = (settings as { source?: { encoding?: string } }).source?.encoding;
  return (await mapped(files, settings, encoding)).map(({ id, subject, status, email, messages }) =>
    [
      id,
      subject,
      status || 'open',
      email,
      ...messages.map(({ role, internal, text }) => `${role} ${internal ? 'internal' : 'public'} ${text}`),
    ].join(' | '),
  );
}

describe('an own export', () => {
  it.each(CASES)('$name: right with these changes', async (of) => {
    const { path, files, written } = desk(of);
    expect(of.set.length).toBeLessThanOrEqual(6);
    await init(path, files, { yes: true, set: of.set });
    expect(await plainly(files, parse(written()))).toEqual(of.expected);
    const open = openPaths(parse(written())).map((path) => path.join('.'));
    expect(open.filter((path) => path.startsWith('mapping.'))).toEqual([]);
  });

  it.each(CASES)('$name: the same by keys in a terminal', async (of) => {
    const { path, files, written } = desk(of);
    const { code, screen } = await initByKeys(path, files, {}, person(of.set));
    expect(code, screen).toBe(0);
    expect(await plainly(files, parse(written())), screen).toEqual(of.expected);
  });

  it.each(CASES)('$name: without them, each mistake is marked and stops a run', async (of) => {
    const { path, files, written } = desk(of);
    await init(path, files, { yes: true });
    const { stdout } = await init(path, files, { json: true });
    const shown = JSON.parse(stdout) as Shown;
    const marked = shown.fields.filter(({ mark }) => mark !== undefined);
    const keys = marked.map(({ key }) => key);
    for (const part of wrongParts(shown, of.expected))
      expect(
        MAKERS[part]?.filter((key) => keys.includes(key)),
        `${part} is wrong`,
      ).not.toEqual([]);
    for (const { label } of marked)
      expect(written(), `${label} is open`).toMatch(new RegExp(`^[^#]*TODO +# ${label}\\b`, 'm'));
  });
});

/** A person who makes the changes by the numbers on the screen, looks at each marked line, and saves. */
function person(set: readonly string[]): Typist {
  const changes = [...set];
  let table = '';
  let doing: string | undefined;
  let prompts = 0;
  const numberOf = (screen: string, is: (rest: string) => boolean) =>
    screen.split('\n').flatMap((line) => {
      const [, number = '', rest = ''] = /^ *(\d+) {2,}(.*)$/.exec(line) ?? [];
      return is(rest) ? [number] : [];
    })[0];
  const begins = (text: string) => (rest: string) => rest === text || rest.startsWith(`${text}  `);
  return (shown) => {
    if (prompts++ > 60) return '\u0003';
    const [, key = '', word, value = ''] = /^([^:=]+)(?::(.*?))?=(.*)$/s.exec(doing ?? '') ?? [];
    const column = value.replace(/^[^:]*\.\w+:/, '');
    if (/Number of a word|Word to decide/.test(shown)) {
      if (doing === undefined) return '\r';
      if (word !== undefined && shown.includes('Word to decide')) return `${word}\r`;
      return `${word === undefined ? 'c' : numberOf(shown, begins(word))}\r`;
    }
    if (/" is: 1 /.test(shown)) {
      doing = undefined;
      return `${new RegExp(`(\\d) ${value}\\b`).exec(shown)?.[1]}\r`;
    }
    if (/keeps\s+it\s+›/.test(shown)) {
      if (doing === undefined) return '\r';
      const isColumn = specOf(key).isValue !== true && !/^(?:'.*'|first line|each row|)$/.test(value);
      const number = numberOf(shown, (rest) => begins(column)(rest.replace(/^\S+?: /, '')));
      // a slip of the finger, taken back
      if (isColumn && number === undefined) return `${column}x\u007f\r`;
      doing = undefined;
      return `${isColumn ? number : value === '' ? '-' : value}\r`;
    }
    const look = /Look at these first: (\d+)/.exec(shown)?.[1];
    if (look !== undefined) return `${look}\r`;
    if (/^Tickets from/m.test(shown)) table = shown.slice(shown.lastIndexOf('comes from'));
    doing = changes.shift();
    if (doing === undefined) return 's\r';
    const { label } = specOf(doing.split(/[:=]/)[0] ?? '');
    const flat = table.replace(/\s+/g, ' ');
    const empty = new RegExp(`(?:: |· )(\\d+) ${label}(?: ·| \\d+ line| •| Number)`).exec(flat)?.[1];
    const number = numberOf(table, begins(label)) ?? empty;
    if (number !== undefined) return `${number}\r`;
    const typed = `${doing}\r`;
    doing = undefined;
    return typed;
  };
}
