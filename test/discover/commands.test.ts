import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Flags } from '../../src/cli/context.ts';
import { type Ask, askOnTerminal } from '../../src/cli/screen.ts';
import { inFile } from '../../src/commands/init/init.ts';
import { inProcess } from '../cli/in-process.ts';
import { fixtures } from '../support/cli.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { editing, settle } from './preview.ts';
import { init, initByKeys, SCREEN } from './support.ts';

const CASES = ['tienda', 'anfragen', 'demandes', 'chamados', 'nested', 'chat'] as const;
const caseOf = (name: string) => join(fixtures, 'inspect', name);
const expected = (name: string) => join(fixtures, 'inspect/expected', name);
/** Paths are another on each machine. */
const anywhere = (text: string) =>
  text.replaceAll(fixtures, relative(process.cwd(), fixtures)).replace(/(?:\.\.\/)+\S*?(?=fixtures\/)/g, '');

/** A folder with these files, in which `init` runs. */
function desk(files: Readonly<Record<string, string | Buffer | readonly string[]>> = {}) {
  const folder = folderOfTest();
  for (const [name, text] of Object.entries(files))
    writeFileSync(folder.join(name), Array.isArray(text) ? `${text.join('\n')}\n` : (text as string));
  const paths = Object.keys(files).map((name) => folder.join(name));
  const settings = folder.join('helpdesk-import.yaml');
  return {
    ...folder,
    paths,
    settings,
    written: () => readFileSync(settings, 'utf8'),
    init: (flags: Flags = {}, ask?: Ask, args: readonly string[] = paths) =>
      init(folder.path, args, flags, ask),
    keys: (args: readonly string[], ...keys: string[]) =>
      initByKeys(folder.path, args, {}, () => keys.shift() ?? '\u0003'),
  };
}

const inspect = (path: string, flags: Flags = {}) =>
  inProcess('inspect', [path], flags, { cwd: fixtures, env: SCREEN });

const TOPICS = ['id,subject,topic,email', '1,Late,Parcel,a@example.org', '2,Refund,Money,b@example.org'];

/** A person who types these lines. */
const typing =
  (...lines: string[]): Ask =>
  async () =>
    lines.shift();

it('init, inspect and run read a file without a header, and init keeps that in its settings', async () => {
  using folder = desk({
    'talks.csv': [
      '1|Slow|The network is slow.|open|2026-06-06T14:13:45Z|pat@example.com',
      '2|Down|Nothing works.|closed|2026-06-07T14:14:41Z|eve@example.com',
    ],
  });
  expect((await folder.init()).stderr).toContain('--set source.header=false');
  const fields = ['id=column 1', 'subject=column 2', 'status=column 4', 'createdAt=column 5'];
  const set = [
    'source.header=false',
    ...fields.map((field) => `ticket.${field}`),
    'ticket.requester.email=column 6',
    'message.text.customer=column 3',
  ];
  expect((await inspect(folder.paths[0] ?? '', { set: 'source.header=false' })).stdout).toContain('column 6');
  expect((await folder.init({ set })).code).toBe(0);
  const written = parse(folder.written());
  expect(written).toMatchObject({ source: { header: false } });
  const again = await folder.init({ set: 'ticket.priority=' });
  expect([again.code, parse(folder.written()).source.header]).toEqual([0, false]);
  const run = await inProcess(
    'run',
    folder.paths,
    { dryRun: true, config: folder.settings, json: true },
    { cwd: folder.path, env: SCREEN },
  );
  expect(JSON.parse(run.stdout)).toMatchObject({ tickets: { read: 2, pending: 2 } });
});

describe('inspect', () => {
  it.each([...CASES, 'odd'])('shows %s to the letter', async (name) => {
    const { code, stdout } = await inspect(caseOf(name));
    expect(code).toBe(0);
    // which layouts are near, and how near, is theirs to test
    const [layout = '', ...rest] = anywhere(stdout).split('\n\n');
    expect(layout).toMatch(/^(?:Layout |This export has no known layout)/);
    await expect(rest.join('\n\n')).toMatchFileSnapshot(expected(`${name}.inspect.txt`));
  });

  it('gives programs the same as one JSON object, and says nothing else', async () => {
    const { stdout, stderr } = await inspect(caseOf('tienda'), { json: true });
    const json = JSON.parse(stdout);
    expect(json.version).toBe(1);
    expect(json.tables.map((table: { rows: number }) => table.rows)).toEqual([6, 5, 6]);
    const status = json.tables[1].columns.find((column: { name: string }) => column.name === 'estado');
    const counts = [
      ['Cerrado', 2],
      ['En espera', 1],
      ['Abierto', 1],
      ['Escalado a banco', 1],
    ];
    const values = counts.map(([value, count]) => ({ value, count }));
    expect(status).toMatchObject({ type: 'text', filled: 5, distinct: 4, values });
    expect(json.joins).toContainEqual({
      from: { file: expect.stringMatching(/comentarios\.csv$/), column: 'incidencia_id' },
      to: { file: expect.stringMatching(/incidencias\.csv$/), column: 'id_incidencia' },
      keysFound: 3,
      keysCompared: 4,
    });
    expect(stderr).toBe('');
  });

  it('counts every row and every value of a large file', async () => {
    const line = (n: number) => `${n},Subject ${n % 4000},${n % 2 ? 'open' : 'closed'}`;
    const lines = Array.from({ length: 4500 }, (_, n) => line(n));
    const { join: at } = desk({ 'big.csv': ['id,subject,status', ...lines] });
    const { stdout } = await inspect(at('big.csv'));
    expect(stdout).toContain(' 4,500 rows');
    expect(stdout).toMatch(/subject +text +100% +4,000/);
  });

  it('lets no cell steer the terminal', async () => {
    const { join: at } = desk({ 'evil.csv': ['id,subject\u001b[2J', '1,\u001b]0;gone\u0007hello'] });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect((await inspect(at('evil.csv'))).stdout).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('init', () => {
  it('The table says that every ticket is open if no column may be a status', async () => {
    const list = [
      'No,Topic,Mail,When',
      '1,Late,a@example.org,2024-05-01',
      '2,Refund,b@example.org,2024-05-02',
    ];
    const { init } = desk({ 'list.csv': list });
    const { stderr } = await init({ yes: true });
    expect(stderr).toMatch(/^ *\d+ +status +– +every ticket is open$/m);
  });

  it.each(CASES)(
    'writes the settings for %s to the letter, with a TODO for each open question',
    async (name) => {
      const { init, written } = desk();
      const { code, stdout } = await init({ propose: true }, undefined, [caseOf(name)]);
      expect([code, stdout]).toEqual([0, '']);
      const text = anywhere(written());
      await expect(text).toMatchFileSnapshot(expected(`${name}.yaml`));
      expect(text.match(/: TODO {2}# /gm)?.length ?? 0).toBeLessThanOrEqual(6);
    },
  );

  it('writes the name of a known layout instead of a mapping, and changes as overrides', async () => {
    const ticket = '{"id":"1","subject":"Hi","title":"A lamp","createdAt":"2024-01-01T10:00:00Z"}';
    const { init, written } = desk({ 'tickets.jsonl': [ticket] });
    expect((await init()).stderr).toContain('Layout native');
    expect(written()).toContain('from: native');
    expect(written()).not.toContain('mapping:');
    await init({ from: 'native', set: ['ticket.subject=title'], force: true });
    expect(written()).toMatch(
      /mapping:\n {2}extends: native\n {2}ticket: ?(?:\{ subject: title \}|\n {4}subject: title)/,
    );
  });

  it('maps a page that has a createdAt as the own layout of the API has, and its own words in the messages', async () => {
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
    const { init, written } = desk({ 'page.json': JSON.stringify({ tickets }) });
    await init({ yes: true });
    expect(written()).toMatch(/public:[^-]*column: visibility/);
  });

  it('writes where --output says, with files relative to the settings', async () => {
    const { path, join: at, init } = desk();
    mkdirSync(at('conf'));
    expect(inFile('export/tickets.csv', path, at('conf'))).toBe('../export/tickets.csv');
    expect(inFile('.', path, path)).toBe('.');
    // Other systems have no folder named `a`, standard input or open decision here.
    for (const name of ['a\\b.csv', './-', './TODO', 'TODO.csv']) expect(inFile(name, path, path)).toBe(name);
    expect(inFile('/data/x.csv', path, at('conf'))).toBe('/data/x.csv');
    const { stderr } = await init({ output: 'conf/acme.yaml' }, undefined, [caseOf('chat')]);
    expect(readFileSync(at('conf/acme.yaml'), 'utf8')).toContain(caseOf('chat'));
    expect(stderr).toContain('run -c conf/acme.yaml --dry-run');
    expect(JSON.parse(readFileSync(at('conf/helpdesk-import.schema.json'), 'utf8'))).toMatchObject({
      type: 'object',
      properties: { mapping: {}, source: {} },
    });
    // the schema of the first is no obstacle
    expect((await init({ output: 'conf/second.yaml' }, undefined, [caseOf('chat')])).code).toBe(0);
  });

  it('shows each marked line once before it saves, and writes nothing if it is stopped', async () => {
    const { init, settings, written } = desk({
      'desk.csv': [
        'id,subject,state_id,email,created_at',
        '1,Late parcel,5,a@example.org,2024-01-01T10:00:00Z',
        '2,Refund,5,b@example.org,2024-01-01T10:00:00Z',
        '3,Lamp,2,c@example.org,2024-01-01T10:00:00Z',
      ],
    });
    const { code, stderr } = await init({}, typing('s', 'q'));
    expect(code).toBe(130);
    expect(stderr).toContain('Look at these first: ');
    expect(existsSync(settings)).toBe(false);
    const status = /^ *(\d+) +status /m.exec(stderr)?.[1] ?? '';
    expect((await init({}, typing(status, '5', '4', '2', 'open', '', 's'))).code).toBe(0);
    expect(written()).toMatch(/map: \{ "2": open, "5": closed \}|map: \{ "5": closed, "2": open \}/);
    expect(written()).not.toContain('TODO');
  });

  it('names a text that no field reads before it saves', async () => {
    const rows = ['1,Late,a@example.org', '2,Refund,b@example.org'].map(
      (row, n) =>
        `${row},2025-01-01T10:00:00Z,Where is parcel ${n} that I ordered?,Parcel ${n} was lost by the carrier in May`,
    );
    const { init } = desk({ 'desk.csv': ['id,subject,email,created_at,description,zzz', ...rows] });
    const stopped = await init({}, typing('s', 'q'));
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('Type s again to save all the same.');
    expect((await init({}, typing('s', 's'))).code).toBe(0);
  });

  it('breaks a prompt between words on a narrow terminal', async () => {
    const shown: string[] = [];
    const stderr = Object.assign(
      new Writable({ write: (chunk, _, done) => done(void shown.push(String(chunk))) }),
      { isTTY: true, columns: 40 },
    );
    const terminal = { env: {}, stdin: Readable.from(['yes\n']), stderr };
    using ask = askOnTerminal(terminal, new AbortController().signal);
    expect(await ask('Number of a column, letters to filter, - for nothing, Enter keeps it › ')).toBe('yes');
    expect(stripVTControlCharacters(shown.join('')).split(/\r?\n/).slice(0, 3)).toEqual([
      'Number of a column, letters to',
      'filter, - for nothing, Enter',
      'keeps it › yes',
    ]);
  });

  it('undoes a change by u; Ctrl-C writes nothing, and the command that repeats the others is printed', async () => {
    const { keys, paths, settings } = desk({ 'desk.csv': TOPICS });
    const stopped = await keys(paths, 'ticket.subject=topic\r', 'u\r', "ticket.priority='high'\r");
    expect(stopped.code).toBe(130);
    expect(stopped.screen).toMatch(/--set\s+"?'?ticket\.priority='/);
    expect(stopped.screen).not.toContain('--set ticket.subject');
    expect(existsSync(settings)).toBe(false);
  });

  it('shows the changed lines alone and what they did, and on Enter the whole table', async () => {
    const rows = ['1,Late,a@example.org,Where is the parcel?', '2,Refund,b@example.org,I want it back now.'];
    const { init } = desk({ 'desk.csv': ['id,subject,email,said', ...rows] });
    const { stderr } = await init({}, typing('ticket.priority=said', '', 'q'));
    expect(stderr.match(/ ticket ID /g)).toHaveLength(2);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      "• 16 customer's text in the ticket's row is empty now. • 8 priority: decide the words • 0 messages in place of 2.",
    );
  });

  it('passes no word without a meaning by Enter, takes a number for the word itself, and names the open ones', async () => {
    const rows = ['2', '2', '1', 'In work', '1'].map((word, n) => `${n},Late ${n},a@example.org,${word}`);
    const { init, written } = desk({ 'desk.csv': ['id,subject,email,priority', ...rows] });
    const words = ['8', '2', '3', '1', '2', '', ''];
    const { stderr } = await init({}, typing(...words, 'source.missingCreatedAt=2020-01-01', 's', 's'));
    const text = stderr.replace(/\s+/g, ' ');
    expect(text).toContain('"In work" has no meaning yet.');
    expect(text).toContain('"In work" of 8 priority has no meaning yet: it will be a TODO');
    expect(written()).toMatch(/"1": normal\s+"2": high\s+In work: TODO/);
  });

  it('takes the name of a column in any case for an answer, and does not filter by it', async () => {
    const rows = ['1,Late,Parcel,Parcel 1', '2,Refund,Money,Parcel 2'];
    const { keys, paths } = desk({ 'desk.csv': ['id,subject,Topic,Topic of the last message', ...rows] });
    const { screen } = await keys(paths, '3\r', 'topic\r');
    expect(screen).toMatch(/3 +subject +Topic +Parcel/);
  });

  it('marks a column called urgency as a likely priority', async () => {
    const rows = ['1,Late,1', '2,Refund,2', '3,Lamp,2', '4,Bulb,1'];
    const { init, written } = desk({ 'desk.csv': ['id,subject,Urgency 1-2', ...rows] });
    await init();
    expect(written()).toMatch(/priority: TODO {2}# priority: none: or one of these\?: "Urgency 1-2"/);
  });

  it('shows what the likely encoding makes of files that are not UTF-8', async () => {
    const text = 'id,subject,email\n1,Письмо не пришло,a@example.org\n2,Возврат денег,b@example.org\n';
    const bytes = [...text].map((sign) => (sign < 'А' ? sign.charCodeAt(0) : sign.charCodeAt(0) - 0x350));
    const { init, written } = desk({ 'desk.csv': Buffer.from(bytes) });
    await init({ yes: true });
    expect(written()).toContain(
      'encoding: TODO  # encoding: windows-1251 shows Письмо, не, пришло, Возврат: is that right?',
    );
    await init({ yes: true, set: ['source.encoding=windows-1251'], force: true });
    expect(written()).toContain('encoding: windows-1251\n');
  });

  it('continues from its own settings, and keeps the parts that the table does not show', async () => {
    const { init, settings, written } = desk();
    const files = [caseOf('tienda')];
    await using edited = await editing(files);
    await settle(edited.editor);
    await init({ propose: true, set: edited.editor.typed }, undefined, files);
    const first = written();
    writeFileSync(settings, `${first}\n# mine\nreport: x.html\n`);
    await init({ propose: true, set: ['ticket.status:Cerrado=resolved'] }, undefined, files);
    expect(written()).toContain('# mine');
    expect(written()).toMatch(/Cerrado: resolved/);
    const columns = (text: string) => text.split('\n').filter((line) => line.includes('column:'));
    expect(columns(written().replace('Cerrado: resolved', 'Cerrado: closed'))).toEqual(columns(first));
  });

  it('shows a word, a column and a rule that were decided in the file', async () => {
    const { init, settings, written } = desk({
      'desk.csv': [
        'id,topic,state_id,email,body,created_at',
        '1,Late,5,a@example.org,Where is my parcel today?,2024-01-01T10:00:00Z',
        '2,Refund,2,b@example.org,I want my money back now.,2024-01-01T10:00:00Z',
        '3,Late,5,c@example.org,Where is my parcel now?,2024-01-01T10:00:00Z',
      ],
    });
    await init({ yes: true, set: ['ticket.status=state_id'] });
    const decided = written()
      .replace(/"5": TODO.*/, '"5": closed')
      .replace(/subject:.*\n?/, 'subject: topic\n')
      .replace(/requester: .*email/, 'requester: { email: { column: email, as: email }');
    writeFileSync(settings, decided);
    const { stderr } = await init({ set: ['ticket.status:2=open'] });
    expect(stderr).toMatch(/5 2 → closed · 2 1 → open/);
    expect(stderr).toMatch(/subject +topic +Late/);
    expect(written()).toBe(
      decided
        .replace(/"2": TODO.*/, '"2": open')
        .replace('state_id"\n', 'state_id"\n#   "ticket.status:2=open"\n'),
    );
  });

  it('a person who says that there is no status and no address is not asked again by the run', async () => {
    const { init, path, settings } = desk({
      'desk.csv': [
        'id,topic,status,who,body,created_at',
        '1,Late,x1,a@example.org,Where is my parcel today?,2024-01-01T10:00:00Z',
        '2,Refund,x2,b@example.org,I want my money back now.,2024-01-01T10:00:00Z',
      ],
    });
    const nothing = ['ticket.status=', 'ticket.requester.email=', 'ticket.requester.name='];
    await init({ yes: true, set: [...nothing, 'customersWithoutEmail.synthesize=made.example.org'] });
    const { code, stdout } = await inProcess(
      'run',
      [],
      { config: settings, dryRun: true, json: true },
      { cwd: path },
    );
    const named = (JSON.parse(stdout) as { problems: { code: string; severity: string }[] }).problems;
    expect(code).toBe(0);
    expect(named.filter((one) => one.code === 'passed-over').map(({ severity }) => severity)).not.toContain(
      'error',
    );
  });

  it.each([
    ['ticket.sbject=topic', 'Did you mean "ticket.subject"?'],
    ['ticket.subject=topik', 'Did you mean "topic"?'],
    ['ticket.status:x=clsed', 'Did you mean "closed"?'],
    ['nonsense', 'FIELD=COLUMN'],
    ['message.text.customer=email', '"email" holds addresses, so it cannot be message.text.customer'],
    [
      'ticket.priority=email',
      '"email" holds addresses, so it cannot be ticket.priority (priority). Columns that can: id, subject, topic.',
    ],
    ['ticket.requester.email=topic', '"topic" holds no addresses, so it cannot be'],
    ['ticket.createdAt=topic', '"topic" holds no times, so it cannot be ticket.createdAt (created).'],
  ])('refuses %s with one sentence and the nearest name', async (set, said) => {
    const { code, stderr } = await desk({ 'desk.csv': TOPICS }).init({ set: [set] });
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it('asks of files without an ID whether each row is a ticket', async () => {
    const { init, written } = desk({ 'rates.csv': ['when,amount', '2024-01-01,2.5', '2024-01-02,2.5'] });
    expect((await init()).code).toBe(0);
    expect(written()).toMatch(/key: TODO {2}# ticket ID: no column is an ID: is each row a ticket/);
  });

  const DUMP = ['-- MySQL dump', 'CREATE TABLE t (id int);'];
  const REPLIES = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (n) => `${n + 1},${n % 4 === 0 ? '' : n},ann${n},Where is my order ${n} please?`,
  );
  const slack = { type: 'message', user: 'U1', ts: '1.1', thread_ts: '1.1', text: 'Is the shop open today?' };
  const said = { id: 1, from_id: 'user7', date_unixtime: '1700000000', text: 'Open today?' };
  it.each([
    ['dump.sql', DUMP, /export each table as CSV/],
    ['dump.txt', DUMP, /[Ee]xport each table as CSV/],
    [
      'mails.mbox',
      ['From ann@example.org Mon Jan 01 10:00:00 2024', 'Subject: Hi', '', 'Hello'],
      /a row a mail/,
    ],
    [
      'tweets.csv',
      ['id,in_reply_to,author,text', ...REPLIES],
      /add a column with the ID of the first message/,
    ],
    ['slack.json', [JSON.stringify([slack])], /Slack.*\n.*--set ticket\.id=/],
    [
      'telegram.json',
      [JSON.stringify({ id: 7, name: 'Kay', messages: [said] })],
      /Telegram.*\n.*--set ticket\.id=/,
    ],
  ])('refuses %s with what to do instead', async (name, lines, advice) => {
    const { init, settings } = desk({ [name]: lines });
    const { code, stderr } = await init({ propose: true });
    expect(code).toBe(2);
    expect(stderr).toMatch(advice);
    expect(existsSync(settings)).toBe(false);
  });
});
