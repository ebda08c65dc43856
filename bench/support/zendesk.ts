/** A made-up Zendesk export: tickets and comments a line each, and a table of users. Each line is counted, so nothing is random. */
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const AGENTS = 36;
const COMMENTS = 4;
const BODY = 'The parcel has not arrived at the shop yet, and nobody answers the telephone there. '.repeat(4);

/** Returns the files. */
export async function zendeskExport(folder: string, tickets: number): Promise<string[]> {
  const names = ['tickets.jsonl', 'comments.jsonl'].map((name) => join(folder, name));
  const [ticketFile, commentFile] = names.map((name) => createWriteStream(name));
  const at = (id: number, hour: number) => new Date(1.7e12 + id * 6e5 + hour * 36e5).toISOString();
  const customer = (id: number) => 1000 + (id % Math.ceil(tickets / 3));
  const agent = (id: number) => 1 + (id % AGENTS);
  for (let id = 1; id <= tickets; id++) {
    const people = { requester_id: customer(id), submitter_id: customer(id), assignee_id: agent(id) };
    const words = {
      subject: `Parcel ${id}`,
      description: `${id}: ${BODY}`,
      status: 'closed',
      tags: ['shop'],
      via: { channel: 'email' },
    };
    ticketFile?.write(
      `${JSON.stringify({ id, created_at: at(id, 0), updated_at: at(id, 9), ...words, ...people })}\n`,
    );
    for (let nr = 0; nr < COMMENTS; nr++) {
      const body = `${id}${nr === 0 ? '' : ` and ${nr}`}: ${BODY}`;
      const author_id = nr % 2 === 0 ? customer(id) : agent(id);
      const comment = {
        ticket_id: id,
        id: id * 10 + nr,
        author_id,
        body,
        html_body: `<p>${body}</p>`,
        public: nr !== 3,
      };
      commentFile?.write(`${JSON.stringify({ ...comment, created_at: at(id, nr), attachments: [] })}\n`);
    }
    if (id % 1000 === 0) await new Promise((turn) => setImmediate(turn));
  }
  for (const file of [ticketFile, commentFile]) if (file !== undefined) await finished(file.end());
  const ids = [...Array(AGENTS).keys()]
    .map(agent)
    .concat([...Array(Math.ceil(tickets / 3)).keys()].map(customer));
  const users = ids.map((id) => ({
    id,
    name: `Person ${id}`,
    email: `p${id}@example.com`,
    role: id <= AGENTS ? 'agent' : 'end-user',
  }));
  writeFileSync(join(folder, 'users.json'), JSON.stringify({ users }));
  return [...names, join(folder, 'users.json')];
}
