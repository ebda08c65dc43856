/** Exports of people's own: right with at most six changes, and never silently wrong without. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { specOf } from '../../src/discover/fields.ts';
import { openPaths } from '../../src/domain/source-file.ts';
import { openExport, type StagedExport } from '../../src/source/open-export.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { mappedOf } from './mapped.ts';
import { editing } from './preview.ts';
import { initByKeys, type Typist } from './support.ts';
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

const encodingOf = ({ encoding }: Case) => (encoding === undefined ? {} : { encoding: 'windows-1252' });

async function plainly(files: StagedExport, settings: { mapping: unknown }): Promise<string[]> {
  return (await mappedOf(files, settings)).map(({ id, subject, status, email, messages }) =>
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
  it('asks of a file of notes alone who wrote it, and keeps a rule beside its TODO', async () => {
    const asked = async (name: string, csv: string) => {
      await using edited = await editing(
        desk({ name: '', files: { [name]: csv }, set: [], expected: [] }).files,
      );
      return await edited.text();
    };
    const notes =
      'ticket_id,email,body,created_at\n1,a@example.org,He asks each week.,2025-03-01T08:15:00Z\n2,b@example.org,The batch is known to be bad.,2025-03-02T08:15:00Z\n';
    expect(await asked('notes.csv', notes)).toMatch(/TODO +# .*called notes/);
    const sides = CASES.find(({ files }) => files['messages.csv']?.includes('agent_email'));
    expect(await asked('messages.csv', sides?.files['messages.csv'] ?? '')).toMatch(
      /TODO +# .*\{"when":\[\{"if":\{"column":"agent_email"/,
    );
  });

  it('takes escaped HTML as HTML in the rows that have it, and leaves the others as they are', async () => {
    const rows = ['&lt;p&gt;Thanks for the lamp.&lt;/p&gt;', 'Is 1 &lt; 2 here?', 'The cord is too short.'];
    const lines = rows.map((text, at) => `${at},Lamp,2025-03-01T08:15:00Z,a${at}@example.org,${text}`);
    const csv = ['ticket_id,subject,created_at,requester_email,description', ...lines].join('\n');
    await using edited = await editing(
      desk({ name: '', files: { 'a.csv': csv }, set: [], expected: [] }).files,
    );
    const texts = (await mappedOf(edited.opened, parse(await edited.text()))).map(
      ({ messages }) => messages[0]?.text,
    );
    expect(texts).toEqual(['<p>Thanks for the lamp.</p>', ...rows.slice(1)]);
  });

  it.each(CASES)(
    '$name: right with these changes; without, each mistake is marked and stops a run',
    async (of) => {
      await using edited = await editing(desk(of).files, undefined, encodingOf(of));
      const shown = (await edited.table()) as unknown as Shown;
      const before = await edited.text();
      const marked = shown.fields.filter(({ mark }) => mark !== undefined);
      const keys = marked.map(({ key }) => key);
      for (const part of wrongParts(shown, of.expected))
        expect(
          MAKERS[part]?.filter((key) => keys.includes(key)),
          `${part} is wrong`,
        ).not.toEqual([]);
      for (const { label } of marked)
        expect(before, `${label} is open`).toMatch(new RegExp(`^[^#]*TODO +# ${label}\\b`, 'm'));
      expect(of.set.length).toBeLessThanOrEqual(6);
      for (const change of of.set) edited.editor.change(change);
      const after = parse(await edited.text());
      expect(await plainly(edited.opened, after)).toEqual(of.expected);
      const open = openPaths(after).map((path) => path.join('.'));
      expect(open.filter((path) => path.startsWith('mapping.'))).toEqual([]);
    },
  );

  it.each(CASES.filter((_, at) => at % 3 === 0))('$name: the same by keys in a terminal', async (of) => {
    const { path, files, written } = desk(of);
    const { code, screen } = await initByKeys(path, files, {}, person(of.set));
    expect(code, screen).toBe(0);
    await using opened = await openExport(files, { signal: new AbortController().signal, ...encodingOf(of) });
    expect(await plainly(opened, parse(written())), screen).toEqual(of.expected);
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
