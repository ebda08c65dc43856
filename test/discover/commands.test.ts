import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Flags } from '../../src/cli/context.ts';
import { initCommand } from '../../src/commands/init/init.ts';
import { type Ask, askOnTerminal } from '../../src/commands/init/terminal.ts';
import { command as inspect } from '../../src/commands/inspect.ts';
import type { AppError } from '../../src/domain/errors.ts';
import { fixtures } from '../support/cli.ts';
import { mapped } from './mapped.ts';
import { cases, dryRun, initByKeys, type Screen, screen, settingsIn, settled } from './support.ts';

const CASES = ['tienda', 'anfragen', 'demandes', 'chamados', 'nested', 'chat'] as const;
const LAYOUTS = join(fixtures, 'layouts');
/** Layouts of exports without messages. */
const SILENT = ['servicenow-log', 'zendesk-csv'];
const expected = (name: string) => resolve(cases, 'expected', name);
const caseOf = (name: string) => join(cases, name);
const written = (at: Screen) => readFileSync(settingsIn(at), 'utf8');

/** `init` run where the tests run, with the settings in a folder of their own. */
const init = (at: Screen, name: string, flags: Flags = {}, ask?: Ask) =>
  initCommand(
    [caseOf(name)],
    { output: settingsIn(at), ...flags },
    { ...at.context, cwd: process.cwd() },
    ask,
  );

/** Writes desk.csv into the screen's folder. */
function desk(at: Screen, ...lines: readonly string[]): string[] {
  const path = join(at.cwd, 'desk.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return [path];
}
const TOPICS = ['id,subject,topic,email', '1,Late,Parcel,a@example.org', '2,Refund,Money,b@example.org'];

/** A person who types these lines. */
const typing =
  (...lines: string[]): Ask =>
  async () =>
    lines.shift();

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
    expect(text.match(/: TODO {2}# /gm)?.length ?? 0).toBeLessThanOrEqual(6);
  });

  it('a dry run stops while something is open', async () => {
    using at = screen();
    await init(at, 'tienda', { propose: true });
    expect(await dryRun(at)).toBe(2);
    expect(at.stderr()).toContain('still to be decided');
  });

  it.each([
    ['tienda', { read: 5, pending: 5, rejected: 0 }, { read: 10 }],
    ['anfragen', { read: 6, pending: 6, rejected: 0 }, { read: 9 }],
    ['demandes', { read: 2, pending: 2, rejected: 0 }, { read: 6 }],
    ['chamados', { read: 2, pending: 2, rejected: 0 }, { read: 0 }],
    ['nested', { read: 2, pending: 2, rejected: 0 }, { read: 3 }],
    ['chat', { read: 3, pending: 3, rejected: 0 }, { read: 7 }],
  ] as const)(
    'once each marked line is decided, every ticket of %s is good',
    async (name, tickets, messages) => {
      using at = screen();
      await init(at, name, { propose: true, set: await settled([caseOf(name)], { propose: true }) });
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
    expect(written(at)).toMatch(/public:[^-]*column: visibility/);
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
    const set = await settled([join(at.cwd, 'export')], { propose: true });
    await initCommand([join(at.cwd, 'export')], { propose: true, set }, at.context);
    expect(await dryRun(at)).toBe(0);
    expect(JSON.parse(at.stdout())).toMatchObject({ tickets: { pending: 4 }, messages: { read: 4 } });
  });

  it('authors whose role is unknown are a line of the table', async () => {
    using at = screen();
    const threads = [
      {
        id: '1',
        visibility: 'public',
        content: 'Where is it?',
        author: { name: 'Ana Ruiz' },
        createdTime: '2024-01-01T09:00:00Z',
      },
      {
        id: '2',
        visibility: 'public',
        content: 'On its way.',
        author: { name: 'Kim Doyle' },
        createdTime: '2024-01-01T10:00:00Z',
      },
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
    expect(written(at)).toMatch(/otherAuthors: TODO {2}# .*customer, agent, system/);
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

  it('a line that is marked must be looked at before it can be saved, and stopping writes nothing', async () => {
    using at = screen();
    const files = desk(
      at,
      'id,subject,state_id,email,created_at',
      '1,Late parcel,5,a@example.org,2024-01-01T10:00:00Z',
      '2,Refund,5,b@example.org,2024-01-01T10:00:00Z',
      '3,Lamp,2,c@example.org,2024-01-01T10:00:00Z',
    );
    const output = settingsIn(at);
    expect(await initCommand(files, { output }, at.context, typing('s', 'q'))).toBe(130);
    expect(at.stderr()).toContain('Look at these first: ');
    expect(existsSync(output)).toBe(false);
    const status = /^ *(\d+) +status /m.exec(at.stderr())?.[1] ?? '';
    using other = screen();
    const keys = [status, '1', '4', '2', 'open', '', 's'];
    expect(await initCommand(files, { output }, other.context, typing(...keys))).toBe(0);
    expect(written(at)).toMatch(/values: \{ "2": open, "5": closed \}|values: \{ "5": closed, "2": open \}/);
    expect(written(at)).not.toContain('TODO');
  });

  it('a text that no field reads is named before the table can be saved', async () => {
    using at = screen();
    const rows = ['1,Late,a@example.org', '2,Refund,b@example.org'].map(
      (row, n) =>
        `${row},2025-01-01T10:00:00Z,Where is parcel ${n} that I ordered?,Parcel ${n} was lost by the carrier in May`,
    );
    const files = desk(at, 'id,subject,email,created_at,description,zzz', ...rows);
    const save = (...keys: string[]) =>
      initCommand(files, { output: settingsIn(at) }, at.context, typing(...keys));
    expect(await save('s', 'q')).toBe(130);
    expect(at.stderr()).toContain('Type s again to save without them.');
    expect(await save('s', 's')).toBe(0);
  });

  it('a prompt breaks between words on a narrow terminal', async () => {
    const shown: string[] = [];
    const output = Object.assign(
      new Writable({ write: (chunk, _, done) => done(void shown.push(String(chunk))) }),
      { isTTY: true, columns: 40 },
    );
    using at = screen();
    const terminal = { ...at.context, stdin: Readable.from(['yes\n']), stderr: output };
    using ask = askOnTerminal(terminal, new AbortController().signal);
    expect(await ask('Number of a column, letters to filter, - for nothing, Enter keeps it › ')).toBe('yes');
    const [first, second] = stripVTControlCharacters(shown.join('')).split(/\r?\n/);
    expect(first).toBe('Number of a column, letters to filter, -');
    expect(second).toBe('for nothing, Enter keeps it › yes');
  });

  it('a change can be undone, and Ctrl-C writes nothing and prints the command that repeats the others', async () => {
    using at = screen();
    const keys = ['ticket.subject=topic', 'u', "ticket.priority='high'"].map((line) => `${line}\r`);
    const files = desk(at, ...TOPICS);
    const stopped = await initByKeys(at, files, {}, () => keys.shift() ?? '\u0003');
    expect(stopped.code).toBe(130);
    expect(stopped.screen).toMatch(/--set\s+"?'?ticket\.priority='/);
    expect(stopped.screen).not.toContain('--set ticket.subject');
    expect(existsSync(settingsIn(at))).toBe(false);
  });

  it('a column called urgency is marked as a likely priority', async () => {
    using at = screen();
    const rows = ['1,Late,1', '2,Refund,2', '3,Lamp,2', '4,Bulb,1'];
    await initCommand(desk(at, 'id,subject,Urgency 1-2', ...rows), { output: settingsIn(at) }, at.context);
    expect(written(at)).toMatch(/priority: TODO {2}# priority: none: or one of these\?: "Urgency 1-2"/);
  });

  it('f says what each file is, and how many of its tickets are there', async () => {
    using at = screen();
    const keys = ['f\r'];
    const { screen: shown } = await initByKeys(
      at,
      [caseOf('tienda')].map((path) => resolve(path)),
      {},
      () => keys.shift() ?? '\u0003',
    );
    expect(shown).toMatch(/incidencias\.csv: 5 rows, the tickets; a row is a ticket/);
    expect(shown.replace(/\s+/g, ' ')).toContain(
      'comentarios.csv: 6 rows, the messages, joined by "incidencia_id" (75% of its tickets are there)',
    );
  });

  it('files that are not UTF-8 show what their likely encoding makes of them', async () => {
    using at = screen();
    const files = desk(at);
    const text = 'id,subject,email\n1,Письмо не пришло,a@example.org\n2,Возврат денег,b@example.org\n';
    writeFileSync(
      files[0] ?? '',
      Buffer.from([...text].map((sign) => (sign < 'А' ? sign.charCodeAt(0) : sign.charCodeAt(0) - 0x350))),
    );
    await initCommand(files, { output: settingsIn(at), yes: true }, at.context);
    expect(written(at)).toContain(
      'encoding: TODO  # encoding: windows-1251 shows Письмо, не, пришло, Возврат: is that right?',
    );
    const set = ['source.encoding=windows-1251'];
    await initCommand(files, { output: settingsIn(at), yes: true, set, force: true }, at.context);
    expect(written(at)).toContain('encoding: windows-1251\n');
  });

  it('init on its own settings goes on with them, and keeps what the table does not show', async () => {
    using at = screen();
    await init(at, 'tienda', { propose: true, set: await settled([caseOf('tienda')], { propose: true }) });
    const first = written(at);
    writeFileSync(settingsIn(at), `${first}\n# mine\nreport: x.html\n`);
    await init(at, 'tienda', { propose: true, set: ['ticket.status:Cerrado=resolved'] });
    expect(written(at)).toContain('# mine');
    expect(written(at)).toMatch(/Cerrado: resolved/);
    expect(
      written(at)
        .replace('Cerrado: resolved', 'Cerrado: closed')
        .split('\n')
        .filter((line) => line.includes('column:')),
    ).toEqual(first.split('\n').filter((line) => line.includes('column:')));
  });

  it.each([
    ['ticket.sbject=topic', 'Did you mean "ticket.subject"?'],
    ['ticket.subject=topik', 'Did you mean "topic"?'],
    ['ticket.status:x=clsed', 'Did you mean "closed"?'],
    ['nonsense', 'FIELD=COLUMN'],
  ])('%s is refused with one sentence and the nearest name', async (set, said) => {
    using at = screen();
    const refused = initCommand(desk(at, ...TOPICS), { set: [set] }, at.context);
    await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(said) });
  });

  it('a known layout is the same table: what is changed is written as overrides', async () => {
    using at = screen();
    const ticket = '{"id":"1","subject":"Hi","title":"A lamp","createdAt":"2024-01-01T10:00:00Z"}\n';
    writeFileSync(join(at.cwd, 'tickets.jsonl'), ticket);
    await initCommand(
      [join(at.cwd, 'tickets.jsonl')],
      { from: 'native', set: ['ticket.subject=title'] },
      at.context,
    );
    expect(written(at)).toMatch(
      /mapping:\n {2}extends: native\n {2}ticket: ?(?:\{ subject: title \}|\n {4}subject: title)/,
    );
  });

  it.each(readdirSync(LAYOUTS).filter((name) => !SILENT.includes(name)))(
    'a message field of the layout %s is changed like any other',
    async (from) => {
      using at = screen();
      const folder = join(LAYOUTS, from);
      const files = readdirSync(folder).flatMap((name) =>
        /^(?:expected|settings)\.json$/.test(name) ? [] : [resolve(folder, name)],
      );
      const tickets = async (set: readonly string[]) => {
        await initCommand(files, { from, set, yes: true, force: true }, at.context);
        const settings = parse(written(at).replace(/TODO .*$/gm, 'customer'));
        const mapping = { extends: from, ...settings.mapping };
        return await mapped(files, { mapping });
      };
      const plain = await tickets([]);
      const changed = await tickets(["message.visibility='internal'"]);
      expect(plain.some(({ messages }) => messages.length > 0)).toBe(true);
      expect(changed).toEqual(
        plain.map((ticket) => ({
          ...ticket,
          messages: ticket.messages.map((message) => ({ ...message, internal: true })),
        })),
      );
    },
  );

  it('a word, a column and a rule that were decided in the file are in the table again', async () => {
    using at = screen();
    const files = desk(
      at,
      'id,topic,state_id,email,body,created_at',
      '1,Late,5,a@example.org,Where is my parcel today?,2024-01-01T10:00:00Z',
      '2,Refund,2,b@example.org,I want my money back now.,2024-01-01T10:00:00Z',
      '3,Late,5,c@example.org,Where is my parcel now?,2024-01-01T10:00:00Z',
    );
    const output = settingsIn(at);
    await initCommand(files, { output, yes: true, set: ['ticket.status=state_id'] }, at.context);
    const decided = written(at)
      .replace(/"5": TODO.*/, '"5": closed')
      .replace(/subject:.*\n?/, 'subject: topic\n')
      .replace(/requester: .*email/, 'requester: { email: { column: email, as: email }');
    writeFileSync(output, decided);
    await initCommand(files, { output, set: ['ticket.status:2=open'] }, at.context);
    const shown = at.stderr().slice(at.stderr().lastIndexOf('Tickets from'));
    expect(shown).toMatch(/5 2 → closed · 2 1 → open/);
    expect(shown).toMatch(/subject +topic +Late/);
    expect(written(at)).toBe(
      decided
        .replace(/"2": TODO.*/, '"2": open')
        .replace('state_id"\n', 'state_id"\n#   "ticket.status:2=open"\n'),
    );
  });

  it('files without an ID are no dead end: whether each row is a ticket is asked', async () => {
    using at = screen();
    writeFileSync(join(at.cwd, 'rates.csv'), 'when,amount\n2024-01-01,2.5\n2024-01-02,2.5\n');
    expect(await initCommand([join(at.cwd, 'rates.csv')], { output: settingsIn(at) }, at.context)).toBe(0);
    expect(written(at)).toMatch(/key: TODO {2}# ticket ID: no column is an ID: is each row a ticket/);
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
