/**
 * Fetches the tickets, users and comments of a Zendesk account into a folder that helpdesk-import reads as it is. It only
 * reads. Stopped at any time, it goes on where it was when it is started again; what was fetched twice counts once.
 *
 *     export ZENDESK_SITE=https://example.zendesk.com ZENDESK_EMAIL=you@example.com ZENDESK_TOKEN=…
 *     node zendesk-export.mjs export/
 *     node zendesk-export.mjs export/ --history     # the changes of status too
 *
 * The token is an API token of an admin. Zendesk lets ten pages of tickets or users a minute through, and 200 to 700 other
 * requests, by plan. Comments take one request a ticket: with 400 a minute 20,000 tickets take 50 minutes at least. The
 * history takes one more, so as long again; it may be fetched later, by the same command with --history.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { ZENDESK_SITE: site, ZENDESK_EMAIL: email, ZENDESK_TOKEN: token } = process.env;
const {
  values: { history },
  positionals: [folder = 'export'],
} = parseArgs({ options: { history: { type: 'boolean' } }, allowPositionals: true });
if (!site || !email || !token) {
  process.stderr.write('Set ZENDESK_SITE, ZENDESK_EMAIL and ZENDESK_TOKEN.\n');
  process.exit(2);
}
const authorization = `Basic ${Buffer.from(`${email}/token:${token}`).toString('base64')}`;

mkdirSync(folder, { recursive: true });
/** What has been done, beside the folder. Without it everything is fetched again. */
const stateFolder = `${folder.replace(/[/\\]+$/, '')}.state`;
mkdirSync(stateFolder, { recursive: true });
const stateFile = join(stateFolder, 'pages.json');
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : {};

await allPages('users');
await allPages('tickets');
await ofEachTicket('comments', (comment, id) => ({ ticket_id: id, ...comment }));
if (history) await ofEachTicket('audits', statusChanges);
process.stdout.write(`\nDone: helpdesk-import run ${folder} --sandbox --serve\n`);

/** Incremental pages of tickets or users; the place is kept after each page. */
async function allPages(kind) {
  while (state[kind]?.isDone !== true) {
    const at = state[kind]?.cursor;
    const query = at === undefined ? 'start_time=0' : `cursor=${encodeURIComponent(at)}`;
    const page = await get(`/api/v2/incremental/${kind}/cursor.json?${query}`);
    append(`${kind}.jsonl`, page[kind]);
    state[kind] = { cursor: page.after_cursor ?? at, isDone: page.end_of_stream };
    writeFileSync(stateFile, JSON.stringify(state));
    process.stdout.write(`${kind}: ${page[kind].length} more\n`);
  }
}

/** Comments or audits of all tickets, as `rowOf` makes them; undefined is left out. What is done is kept after each ticket. */
async function ofEachTicket(kind, rowOf) {
  const doneFile = join(stateFolder, `tickets-with-${kind}.txt`);
  const done = new Set(existsSync(doneFile) ? readFileSync(doneFile, 'utf8').split('\n') : []);
  const lines = existsSync(join(folder, 'tickets.jsonl'))
    ? readFileSync(join(folder, 'tickets.jsonl'), 'utf8').split('\n').filter(Boolean)
    : [];
  // A ticket that changed while its page was fetched is there twice.
  const tickets = new Map(
    lines.map((line) => JSON.parse(line)).map(({ id, status }) => [String(id), status]),
  );
  for (const [id, status] of tickets) {
    if (done.has(id) || status === 'deleted') continue;
    let next = `/api/v2/tickets/${id}/${kind}.json?page[size]=100`;
    while (next) {
      const page = await get(next);
      append(
        `${kind}.jsonl`,
        page[kind].map((row) => rowOf(row, Number(id))).filter((row) => row !== undefined),
      );
      // Audits of archived tickets come in one piece.
      next = page.meta?.has_more === true ? page.links.next : undefined;
    }
    appendFileSync(doneFile, `${id}\n`);
    done.add(id);
    if (done.size % 100 === 0) process.stdout.write(`${kind} of ${done.size} of ${tickets.size} tickets\n`);
  }
}

/** An audit holds all that was done at once, with the customer's address on the network: kept is what changed the status. */
function statusChanges({ id, author_id, created_at, events }, ticket_id) {
  const changes = events
    .filter(({ type, field_name }) => type === 'Change' && field_name === 'status')
    .map(({ id: event, type, field_name, previous_value, value }) => ({
      id: event,
      type,
      field_name,
      previous_value,
      value,
    }));
  return changes.length === 0 ? undefined : { id, ticket_id, author_id, created_at, events: changes };
}

function append(name, rows) {
  if (rows.length > 0)
    appendFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** Waits as long as Zendesk asks for; tries again a few times where it fails on its own side. */
async function get(address) {
  for (let attempt = 1; ; attempt++) {
    const url = new URL(address, site);
    // The token goes to the account's own site, wherever a page may point to.
    if (url.origin !== new URL(site).origin) throw new Error(`${url.origin} is not ${site}.`);
    const response = await fetch(url, { headers: { authorization, accept: 'application/json' } });
    if (response.ok) return await response.json();
    const isPassing = response.status === 429 || response.status >= 500;
    // The ticket has been deleted meanwhile.
    if (response.status === 404 && /tickets\/\d/.test(url.pathname)) return { comments: [], audits: [] };
    if (!isPassing || (response.status !== 429 && attempt === 5))
      throw new Error(`${url.pathname} was refused: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 2 ** attempt));
  }
}
