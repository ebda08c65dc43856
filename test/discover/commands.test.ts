import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initCommand } from '../../src/commands/init/init.ts';
import { complaint } from '../../src/commands/init/interview.ts';
import { command as inspect } from '../../src/commands/inspect.ts';
import { AppError } from '../../src/domain/errors.ts';
import { answer, cases, dryRun, type Screen, screen, settingsIn } from './support.ts';

const CASES = ['tienda', 'anfragen', 'demandes', 'chamados', 'nested', 'chat'] as const;
const expected = (name: string) => resolve(cases, 'expected', name);
const caseOf = (name: string) => join(cases, name);
const written = (at: Screen) => readFileSync(settingsIn(at), 'utf8');

/** `init` run where the tests run, with the settings in a folder of their own. */
const init = (
  at: Screen,
  name: string,
  flags: Record<string, string | boolean> = {},
  ask?: Parameters<typeof initCommand>[3],
) =>
  initCommand(
    [caseOf(name)],
    { output: settingsIn(at), ...flags },
    { ...at.context, cwd: process.cwd() },
    ask,
  );

describe('inspect', () => {
  it.each([...CASES, 'odd'])('shows %s to the letter', async (name) => {
    using at = screen();
    expect(await inspect.run([caseOf(name)], {}, at.context)).toBe(0);
    // which layouts are near, and how near, is theirs to test
    const [layout = '', ...rest] = at.stdout().split('\n\n');
    expect(layout).toMatch(/^(?:Layout |This export has no known layout)/);
    const text = rest.join('\n\n');
    await expect(text).toMatchFileSnapshot(expected(`${name}.inspect.txt`));
  });

  it('gives programs the same as one JSON object, and says nothing else', async () => {
    using at = screen();
    await inspect.run([caseOf('tienda')], { json: true }, at.context);
    const json = JSON.parse(at.stdout());
    expect(json.version).toBe(1);
    expect(json.tables.map((table: { rows: number }) => table.rows)).toEqual([6, 5, 6]);
    const status = json.tables[1].columns.find((column: { name: string }) => column.name === 'estado');
    expect(status).toMatchObject({
      type: 'text',
      filled: 5,
      distinct: 4,
      values: [
        { value: 'Cerrado', count: 2 },
        { value: 'En espera', count: 1 },
        { value: 'Abierto', count: 1 },
        { value: 'Escalado a banco', count: 1 },
      ],
    });
    expect(json.joins).toContainEqual({
      from: { file: expect.stringMatching(/comentarios\.csv$/), column: 'incidencia_id' },
      to: { file: expect.stringMatching(/incidencias\.csv$/), column: 'id_incidencia' },
      keysFound: 3,
      keysCompared: 4,
    });
    expect(at.stderr()).toBe('');
  });

  it('counts every row and every value of a large file', async () => {
    using at = screen();
    const line = (n: number) => `${n},${'x'.repeat(400)}${n % 4000},${n % 2 ? 'open' : 'closed'}`;
    const lines = Array.from({ length: 9000 }, (_, n) => line(n));
    writeFileSync(join(at.cwd, 'big.csv'), `id,subject,status\n${lines.join('\n')}\n`);
    await inspect.run([join(at.cwd, 'big.csv')], {}, at.context);
    expect(at.stdout()).toContain(' 9,000 rows');
    expect(at.stdout()).toMatch(/subject +text +100% +4,000/);
  });

  it('of a missing file ends with a source error', async () => {
    using at = screen();
    const missing = inspect.run([join(at.cwd, 'not-there.csv')], {}, at.context);
    await expect(missing).rejects.toMatchObject({ code: 'source' });
  });

  it('a cell cannot steer the terminal', async () => {
    using at = screen();
    writeFileSync(join(at.cwd, 'evil.csv'), 'id,subject\u001b[2J\n1,\u001b]0;gone\u0007hello\n');
    await inspect.run([join(at.cwd, 'evil.csv')], {}, at.context);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect(at.stdout()).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('init', () => {
  it.each(CASES)('writes the settings for %s to the letter, with what is open marked TODO', async (name) => {
    using at = screen();
    expect(await init(at, name, { propose: true })).toBe(0);
    // the way from the settings to the files is another one on every machine
    const text = written(at).replace(/files: \[ .* \]/, `files: [ ${caseOf(name)} ]`);
    await expect(text).toMatchFileSnapshot(expected(`${name}.yaml`));
    expect(at.stdout()).toBe('');
    const open = text.match(/: TODO {2}# /gm)?.length ?? 0;
    expect(open > 0).toBe(name !== 'nested');
    expect(open).toBeLessThanOrEqual(5);
  });

  it.each(CASES.filter((name) => name !== 'nested'))(
    'a dry run stops while something is open in %s',
    async (name) => {
      using at = screen();
      await init(at, name, { propose: true });
      expect(await dryRun(at)).toBe(2);
      expect(at.stderr()).toContain('still to be decided');
    },
  );

  it.each([
    ['tienda', { read: 5, pending: 5, rejected: 0 }, { read: 10 }],
    ['anfragen', { read: 6, pending: 6, rejected: 0 }, { read: 9 }],
    ['demandes', { read: 2, pending: 2, rejected: 0 }, { read: 6 }],
    ['chamados', { read: 2, pending: 2, rejected: 0 }, { read: 0 }],
    ['nested', { read: 2, pending: 2, rejected: 0 }, { read: 3 }],
    ['chat', { read: 3, pending: 3, rejected: 0 }, { read: 7 }],
  ] as const)(
    'once its questions are answered, every ticket of %s is good',
    async (name, tickets, messages) => {
      using at = screen();
      await init(at, name, { propose: true }, answer);
      expect(written(at)).not.toContain('TODO');
      expect(await dryRun(at)).toBe(0);
      expect(JSON.parse(at.stdout())).toMatchObject({ tickets, messages });
    },
  );

  it('of a known layout it writes the name, not a mapping', async () => {
    using at = screen();
    writeFileSync(
      join(at.cwd, 'tickets.jsonl'),
      '{"id":"1","subject":"Hi","createdAt":"2024-01-01T10:00:00Z"}\n',
    );
    await initCommand([join(at.cwd, 'tickets.jsonl')], {}, at.context);
    expect(written(at)).toContain('from: native');
    expect(written(at)).not.toContain('mapping:');
    expect(at.stderr()).toContain('Layout native');
  });

  it('a page that has a createdAt as the own layout of the API has, and its own words in the messages, gets a mapping', async () => {
    using at = screen();
    const tickets = Array.from({ length: 6 }, (_, n) => ({
      id: 5000 + n,
      subject: `Late parcel ${n}`,
      status: 'open',
      createdAt: `2024-05-0${n + 1}T08:00:00Z`,
      contact: { email: `c${n}@example.org` },
      messages: ['in', 'out', 'out'].map((direction, k) => ({
        direction,
        visibility: k === 2 ? 'private' : 'public',
        content: `I wrote about parcel ${n}.${k} before: please look at it again.`,
        createdAt: `2024-05-0${n + 1}T0${k + 8}:00:00Z`,
      })),
    }));
    writeFileSync(join(at.cwd, 'page.json'), JSON.stringify({ tickets }));
    await initCommand([join(at.cwd, 'page.json')], { yes: true }, at.context);
    expect(written(at)).toMatch(/isInternal:[^-]*column: visibility/);
  });

  it('a file a ticket gives each message once, also where files lack fields of others', async () => {
    using at = screen();
    mkdirSync(join(at.cwd, 'export'));
    for (const n of [1, 2, 3, 4]) {
      const created_at = `2024-01-0${n}T10:00:00Z`;
      const comments = [{ body: `Where is order ${n}?`, created_at, author: { email: `a${n}@example.org` } }];
      const requester = { email: `a${n}@example.org`, name: `Ann ${n}` };
      const ticket = {
        id: 100 + n,
        subject: `Order ${n} is late`,
        status: 'open',
        created_at,
        requester,
        comments,
      };
      const text = JSON.stringify(n % 2 === 0 ? { ...ticket, priority: 'high' } : ticket);
      writeFileSync(join(at.cwd, 'export', `ticket-${n}.json`), text);
    }
    await initCommand([join(at.cwd, 'export')], { propose: true }, at.context, answer);
    expect(await dryRun(at)).toBe(0);
    expect(JSON.parse(at.stdout())).toMatchObject({ tickets: { pending: 4 }, messages: { read: 4 } });
  });

  it('notes without a time of their own are said to take that of their ticket', async () => {
    using at = screen();
    const rows = [1, 2, 3].map(
      (n) =>
        `${n},Order ${n} is late,Where is my order ${n}?,2024-01-0${n}T10:00:00Z,a${n}@example.org,Call customer ${n} back`,
    );
    writeFileSync(
      join(at.cwd, 'desk.csv'),
      `id,subject,description,created at,requester email,internal notes\n${rows.join('\n')}\n`,
    );
    await initCommand([join(at.cwd, 'desk.csv')], { yes: true }, at.context);
    expect(written(at)).toMatch(
      /# Internal notes have no time of their own[^-]*created\.\n\s+- content: internal notes/,
    );
  });

  it('authors whose role is unknown are named in the question', async () => {
    using at = screen();
    const threads = [
      { id: '1', content: 'Where is it?', author: { name: 'Ana Ruiz' }, createdTime: '2024-01-01T09:00:00Z' },
      { id: '2', content: 'On its way.', author: { name: 'Kim Doyle' }, createdTime: '2024-01-01T10:00:00Z' },
    ];
    const ticket = {
      ticketNumber: '7',
      subject: 'Late parcel',
      status: 'Open',
      createdTime: '2024-01-01T08:00:00Z',
      departmentId: '1',
      contactId: 'c1',
      contact: { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@example.org' },
      assigneeId: null,
    };
    const data = [1, 2, 3].map((n) => ({ id: `${n}`, ...ticket, threads }));
    writeFileSync(join(at.cwd, 'tickets.json'), JSON.stringify({ data }));
    await initCommand([join(at.cwd, 'tickets.json')], { yes: true, from: 'zohodesk' }, at.context);
    expect(written(at)).toMatch(/otherAuthors: TODO {2}# .*such as Kim Doyle: agent/);
  });

  it('never replaces a settings file unless asked to', async () => {
    using at = screen();
    writeFileSync(settingsIn(at), '# mine\n');
    await expect(init(at, 'chat')).rejects.toMatchObject({ code: 'usage' });
    expect(written(at)).toBe('# mine\n');
    await init(at, 'chat', { force: true });
    expect(written(at)).toContain('source:');
  });

  it('writes where --output says, with files relative to the settings', async () => {
    using at = screen();
    mkdirSync(join(at.cwd, 'conf'));
    const { inFile } = await import('../../src/commands/init/init.ts');
    expect(inFile('export/tickets.csv', at.cwd, join(at.cwd, 'conf'))).toBe('../export/tickets.csv');
    expect(inFile('.', at.cwd, at.cwd)).toBe('.');
    expect(inFile('/data/x.csv', at.cwd, at.cwd)).toBe('/data/x.csv');
    await initCommand([resolve(caseOf('chat'))], { output: 'conf/acme.yaml' }, at.context);
    expect(readFileSync(join(at.cwd, 'conf/acme.yaml'), 'utf8')).toContain(resolve(caseOf('chat')));
    expect(at.stderr()).toContain('run -c conf/acme.yaml --dry-run');
    expect(JSON.parse(readFileSync(join(at.cwd, 'conf/helpdesk-import.schema.json'), 'utf8'))).toMatchObject({
      type: 'object',
      properties: { mapping: {}, source: {} },
    });
  });

  it('a second settings file next to the first one needs no --force for the schema', async () => {
    using at = screen();
    await init(at, 'chat');
    expect(await init(at, 'chat', { output: join(at.cwd, 'second.yaml') })).toBe(0);
  });

  it('a file of another kind in the place of the schema is left alone', async () => {
    using at = screen();
    writeFileSync(join(at.cwd, 'helpdesk-import.schema.json'), '{"mine":true}');
    await expect(init(at, 'chat')).rejects.toMatchObject({ code: 'usage' });
    expect(readFileSync(join(at.cwd, 'helpdesk-import.schema.json'), 'utf8')).toBe('{"mine":true}');
  });

  it('what a person leaves open is marked, and giving up writes nothing', async () => {
    using at = screen();
    await init(at, 'chat', { propose: true }, async () => undefined);
    expect(written(at).match(/: TODO /g)).toHaveLength(3);
    using other = screen();
    const stop = async () => {
      throw new AppError('interrupted', 'Cancelled. Nothing was written.');
    };
    await expect(init(other, 'chat', {}, stop)).rejects.toMatchObject({ code: 'interrupted' });
    expect(existsSync(settingsIn(other))).toBe(false);
  });

  it('asks ten things at most, zone, day order, agents and addresses included', async () => {
    using at = screen();
    const rows = Array.from({ length: 20 }, (_, n) =>
      [
        `${700 + n}`,
        `Parcel number ${n} is late`,
        ['neu!', 'warten!', 'fertig!', 'zu!'][n % 4],
        ['rot!', 'gelb!'][n % 2],
        `0${1 + (n % 9)}/0${1 + (n % 7)}/2024 10:${10 + n}`,
        `I ordered parcel ${n} weeks ago and it has still not come to my house.`,
        `person ${n % 7}`,
      ].join(','),
    );
    writeFileSync(join(at.cwd, 'export.csv'), `c1,c2,c3,c4,c5,c6,c7\n${rows.join('\n')}\n`);
    const keys: string[] = [];
    await initCommand([join(at.cwd, 'export.csv')], {}, at.context, async (question) => {
      if (question.key !== 'look') keys.push(question.key);
      return answer(question);
    });
    expect(keys).toContain('source.timezone');
    expect(keys.length).toBeLessThanOrEqual(10);
    expect(written(at)).not.toContain('TODO');
  });

  it('of columns without names the one with words of a priority is proposed for it', async () => {
    using at = screen();
    const rows = Array.from({ length: 20 }, (_, n) =>
      [
        n,
        `Customer ${n % 7}`,
        `a${n}@example.org`,
        `Parcel ${n} is late`,
        ['open', 'closed'][n % 2],
        ['low', 'high', 'normal'][n % 3],
      ].join(','),
    );
    writeFileSync(join(at.cwd, 'export.csv'), `c1,c2,c3,c4,c5,c6\n${rows.join('\n')}\n`);
    await initCommand([join(at.cwd, 'export.csv')], { yes: true, propose: true }, at.context);
    expect(written(at)).toContain('# priority: "c6"');
  });

  it('the words of a column that is open itself are not asked about', async () => {
    using at = screen();
    const rows = Array.from(
      { length: 12 },
      (_, n) =>
        `${n},Parcel ${n} is late,${['neu!', 'zu!'][n % 2]},a${n}@example.org,2024-01-01T00:00:0${n % 9}Z`,
    );
    writeFileSync(join(at.cwd, 'export.csv'), `id,subject,c3,email,created_at\n${rows.join('\n')}\n`);
    await initCommand([join(at.cwd, 'export.csv')], { yes: true, propose: true }, at.context);
    expect(written(at)).toMatch(/status: .*column: TODO|column: TODO {2}# status/);
    expect(written(at)).not.toContain('neu!": TODO');
  });

  it('files without anything like a ticket are refused, and nothing is written', async () => {
    using at = screen();
    writeFileSync(join(at.cwd, 'rates.csv'), 'when,amount\n2024-01-01,2.5\n2024-01-02,2.5\n');
    await expect(
      initCommand([join(at.cwd, 'rates.csv')], { output: settingsIn(at) }, at.context),
    ).rejects.toMatchObject({ code: 'source', message: expect.stringContaining('looks like tickets') });
    expect(existsSync(settingsIn(at))).toBe(false);
  });

  it.each([
    ['zone', 'Europe/Berlin', undefined],
    ['zone', 'Berlin', expect.stringContaining('Europe/Berlin')],
    ['time', '2020-01-01T00:00:00Z', undefined],
    ['time', 'yesterday', expect.any(String)],
    ['domain', 'customers.example.com', undefined],
    ['domain', 'ann@example.com', expect.stringContaining('domain')],
    ['text', 'anything', undefined],
    ['zone', '', undefined],
  ] as const)('an answer for a %s of %j: %s', (kind, text, problem) => {
    expect(complaint({ kind }, text)).toEqual(problem);
  });
});

describe('what no answer can make right is refused with what to do instead', () => {
  const CHAIN = Array.from(
    { length: 8 },
    (_, n) => `${n + 1},${n % 4 === 0 ? '' : n},ann${n},Where is my order ${n} please?`,
  );

  it.each([
    ['dump.sql', '-- MySQL dump\nCREATE TABLE t (id int);\n', /export each table as CSV/],
    ['dump.txt', '-- MySQL dump\nCREATE TABLE t (id int);\n', /[Ee]xport each table as CSV/],
    ['mails.mbox', 'From ann@example.org Mon Jan 01 10:00:00 2024\nSubject: Hi\n\nHello\n', /a row a mail/],
    [
      'tweets.csv',
      `id,in_reply_to,author,text\n${CHAIN.join('\n')}\n`,
      /add a column with the ID of the first message/,
    ],
  ])('%s', async (name, text, advice) => {
    using at = screen();
    writeFileSync(join(at.cwd, name), text);
    const refused = initCommand([join(at.cwd, name)], { output: settingsIn(at) }, at.context);
    await expect(refused).rejects.toSatisfy(
      (error: AppError) =>
        error.code === 'source' && advice.test(`${error.message} ${error.hint} ${error.lines.join(' ')}`),
    );
    expect(existsSync(settingsIn(at))).toBe(false);
  });
});
