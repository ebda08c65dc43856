/** A trial is compared, marked and signed on its pages; `status`, `report` and the next run speak of it. */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publicId } from '../../src/sandbox/store/kept-values.ts';
import { trialQuestion, trialSentence } from '../../src/view/trial-words.ts';
import { TOKEN } from '../sandbox/running-sandbox.ts';
import { startCommandLine, words } from '../support/command-line.ts';
import { answeredTickets, type Desk, startDesk } from '../support/desk.ts';
import { signedIn } from '../support/signed-in.ts';

let desk: Desk;
let running: ReturnType<typeof startCommandLine>;
let origin = '';
let cookie = '';

beforeAll(async () => {
  desk = await startDesk({ strict: false, auth: { token: TOKEN } });
  desk.write('export.jsonl', answeredTickets(3));
  running = startCommandLine('run export.jsonl --trial --serve --set run.timeout=1'.split(' '), desk.where);
  const [, address = ''] = await running.shown(/sign it: (\S+)/);
  origin = new URL(address).origin;
  expect((await fetch(origin)).status).toBe(401);
  cookie = (await signedIn(address)).cookie;
});
afterAll(async () => {
  running.kill('SIGINT');
  await running.result;
  await desk.close();
});

const get = async (path: string) => {
  const answer = await fetch(origin + path, { headers: { cookie } });
  return { status: answer.status, text: await answer.text() };
};
const hidden = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
async function post(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin },
) {
  const answer = await fetch(origin + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, ...headers },
    body: new URLSearchParams(fields),
  });
  return { status: answer.status, text: await answer.text(), to: answer.headers.get('location') };
}
async function mark(
  path: string,
  fields: Record<string, string>,
  page?: string,
  headers?: Record<string, string>,
) {
  const { text } = page === undefined ? await get(path) : { text: page };
  return await post(path, { token: hidden(text, 'token'), saw: hidden(text, 'saw'), ...fields }, headers);
}
const ticketPath = (nth: number) => `/ticket/e${nth}`;

it('a pair has the rows of the export on the left and the helpdesk on the right', async () => {
  await post('/who', { token: hidden((await get('/')).text, 'token'), who: 'Nora Kim' });
  const { status, text } = await get(ticketPath(1));
  expect(status).toBe(200);
  expect(text).toContain('No difference found.');
  const [left = '', right = ''] = text.slice(text.indexOf('id="m1"')).split('<div class="new">');
  for (const side of [left, right]) expect(side).toContain('Hello from e1');
  expect(left).toContain('2024-01-02T03:04:05Z');
  expect(right).toContain('2024-01-02 03:04 UTC');
  expect(text).not.toContain('<script');
});

it.each([
  ['no origin', {}],
  ['another port of this computer', { origin: 'http://127.0.0.1:1' }],
  ['a request of another site', { origin: 'SELF', 'sec-fetch-site': 'same-site' }],
])('a mark with %s is refused', async (_, headers) => {
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === 'SELF' ? origin : value]),
  );
  expect((await mark(ticketPath(1), { mark: 'right' }, undefined, own)).status).toBe(403);
});

it('a mark without the token of its form, or for another ticket, is refused', async () => {
  const { text } = await get(ticketPath(1));
  expect((await post(ticketPath(1), { saw: hidden(text, 'saw'), mark: 'right' })).status).toBe(403);
  expect((await mark(ticketPath(2), { mark: 'right' }, text)).status).toBe(403);
});

it('a wrong mark needs a reason, and a ticket that changed meanwhile is not marked', async () => {
  expect((await mark(ticketPath(1), { mark: 'wrong' })).text).toContain('Tick a reason or write a line.');
  const { text } = await get(ticketPath(2));
  const ticket = desk.sandbox.store.tickets.numbered('2')[0] ?? 0;
  const messages = desk.sandbox.store.messages.ofTicket(ticket);
  await desk.ask(
    'PUT',
    `/tickets/${publicId('ticket', ticket)}/messages`,
    messages.map(({ id, actorType, content, agentId, contact, occurredAt }, at) => ({
      ...{ id, actorType, content },
      ...(agentId !== null && { agentId }),
      ...(contact !== null && { contact: { email: contact.email } }),
      occurredAt: at === 0 ? '2024-01-02T05:05:05Z' : occurredAt,
    })),
  );
  const changed = [1, 2, 3].map((nth) => ticketPath(nth));
  const answers = await Promise.all(changed.map(async (at) => [at, (await get(at)).text] as const));
  const [at = '', page = ''] = answers.find(([, shown]) => shown.includes('One difference found')) ?? [];
  expect(page).toMatch(/Message 1<\/bdi><\/a><bdi>: Message 1 has 2024-01-02T05:05:05\.000Z instead of/);
  expect(page).toContain('Right anyway');
  if (at === ticketPath(2)) expect((await mark(at, { mark: 'right' }, text)).status).toBe(409);
  expect(await mark(at, { mark: 'wrong', because: 'time', words: 'two hours late' })).toMatchObject({
    status: 303,
  });
});

it('marks and the signature are of the checkpoint: status and report say them', async () => {
  const marked = (await get('/?who')).text;
  for (const nth of [1, 2, 3])
    if ((await get(ticketPath(nth))).text.includes('No difference'))
      expect((await mark(ticketPath(nth), { mark: 'right' })).status).toBe(303);
  expect((await post('/sign', { token: hidden(marked, 'token') })).text).toContain('Look at every ticket');
  expect((await mark('/people', { mark: 'right' })).to).toBe('/');
  const overview = (await get('/')).text;
  expect(overview).toContain('3 of 3 tickets looked at, 1 wrong.');
  expect((await post('/sign', { token: hidden(overview, 'token') })).status).toBe(303);
  const signed = [...(await get('/')).text.matchAll(/<code>(.*?)<\/code>/gs)].map(([, code = '']) => code);
  expect(signed).toHaveLength(3);
  for (const code of signed) {
    const [, ...typed] = words(code.replaceAll(/<[^>]*>/g, '').trim());
    const said = await desk.type(...typed.filter((word) => word !== '--serve'));
    expect(said.stdout + said.stderr, code).not.toMatch(
      /There is no|unknown (?:option|command)|missing req/i,
    );
  }
  const { stdout } = await desk.type('status', '--json');
  const { marks } = JSON.parse(stdout);
  expect(trialSentence(marks)).toMatch(
    /^Nora Kim looked at 3 of 3 on .*, 1 wrong: e\d \(a time\)\. Signed\.$/,
  );
  expect(trialQuestion(marks)).toMatch(
    /^1 ticket of the trial is marked wrong: e\d \(a time\)\. Import anyway\?$/,
  );
  expect((await desk.type('report', 'export.jsonl', '-o', 'r.html')).code).toBe(0);
  expect(desk.read('r.html')).toContain('Nora Kim looked at 3 of 3');
  await desk.type('report', 'export.jsonl', '-o', 'h.html', '--redact');
  expect(desk.read('h.html')).not.toMatch(/Nora Kim|two hours late/);
});

it('events stand in pairs, and the people page says which customers were known, new or made up', async () => {
  const { text } = await get(ticketPath(1));
  const [event = ''] =
    /<li class="pair">\n<div class="old"><p class="side">Old helpdesk<\/p><p class="event">.*/s.exec(text) ??
    [];
  const [left = '', right = ''] = event.split('<div class="new">');
  expect(left).toContain('2024-01-02T');
  expect(right).toContain('changed the status');
  const people = (await get('/people')).text;
  expect(people).toContain('<td><bdi>new</bdi></td>');
});

it('a ticket that was sent otherwise since its mark comes back as "look again", without a request', async () => {
  const database = new Database(desk.checkpoint);
  database.exec("UPDATE ticket SET fingerprints = zeroblob(length(fingerprints)) WHERE ticket_id LIKE '%1'");
  database.close();
  const { stdout } = await desk.typeWith({ env: {} }, 'status');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /looked at 2 of 3 .* Changed since, look again: e\d\. Not signed\./,
  );
});

it('a helpdesk that does not answer cannot be marked', async () => {
  await desk.sandbox.close();
  const { status, text } = await get(ticketPath(1));
  expect([status, text.includes('does not answer')]).toEqual([503, true]);
  expect(text).not.toContain('value="right"');
});

it('a run asks about a trial that was half looked at, and not about an unopened one', () => {
  expect(trialQuestion(undefined)).toBeUndefined();
  const marks = {
    of: 8,
    looked: 3,
    wrong: [],
    again: [],
    who: 'Nora',
    lastAt: 0,
    isSigned: false,
    wentOn: false,
  };
  expect(trialQuestion(marks)).toBe('5 of 8 tickets of the trial were not looked at. Import anyway?');
  expect(trialQuestion({ ...marks, looked: 8 })).toBeUndefined();
  expect(trialQuestion({ ...marks, looked: 7, again: ['44'] })).toBe(
    '1 ticket of the trial changed after it was marked: 44. Import anyway?',
  );
});
