/**
 * Fetches the tickets, users and comments of a Zendesk account into a folder that helpdesk-import reads as it is. It only
 * reads. Stopped at any time, it goes on where it was when it is started again; a comment that was fetched twice counts once.
 *
 *     export ZENDESK_SITE=https://example.zendesk.com ZENDESK_EMAIL=you@example.com ZENDESK_TOKEN=…
 *     node zendesk-export.mjs export/
 *
 * The token is an API token of an admin. Zendesk lets ten pages of tickets or users a minute through, and some hundred
 * requests for comments: an account of 20,000 tickets takes an hour or two.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { ZENDESK_SITE: site, ZENDESK_EMAIL: email, ZENDESK_TOKEN: token } = process.env;
const [folder = 'export'] = process.argv.slice(2);
if (!site || !email || !token) {
  process.stderr.write('Set ZENDESK_SITE, ZENDESK_EMAIL and ZENDESK_TOKEN.\n');
  process.exit(2);
}
const authorization = `Basic ${Buffer.from(`${email}/token:${token}`).toString('base64')}`;

mkdirSync(folder, { recursive: true });
/** What has been done, beside the folder. Without it everything is fetched anew. */
const stateFolder = `${folder.replace(/[/\\]+$/, '')}.state`;
mkdirSync(stateFolder, { recursive: true });
const stateFile = join(stateFolder, 'pages.json');
const doneFile = join(stateFolder, 'tickets-with-comments.txt');
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : {};

await allPages('users');
await allPages('tickets');
await allComments();
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

async function allComments() {
  const done = new Set(existsSync(doneFile) ? readFileSync(doneFile, 'utf8').split('\n') : []);
  const lines = existsSync(join(folder, 'tickets.jsonl'))
    ? readFileSync(join(folder, 'tickets.jsonl'), 'utf8').split('\n').filter(Boolean)
    : [];
  // A ticket that changed while its page was fetched stands there twice.
  const tickets = new Map(
    lines.map((line) => JSON.parse(line)).map(({ id, status }) => [String(id), status]),
  );
  for (const [id, status] of tickets) {
    if (done.has(id) || status === 'deleted') continue;
    let next = `/api/v2/tickets/${id}/comments.json?page[size]=100`;
    while (next) {
      const page = await get(next);
      append(
        'comments.jsonl',
        page.comments.map((comment) => ({ ticket_id: Number(id), ...comment })),
      );
      next = page.meta?.has_more === true ? page.links.next : undefined;
    }
    appendFileSync(doneFile, `${id}\n`);
    done.add(id);
    if (done.size % 100 === 0) process.stdout.write(`comments of ${done.size} of ${tickets.size} tickets\n`);
  }
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
    if (response.status === 404 && /comments/.test(url.pathname)) return { comments: [] };
    if (!isPassing || (response.status !== 429 && attempt === 5))
      throw new Error(`${url.pathname} was refused: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 2 ** attempt));
  }
}
