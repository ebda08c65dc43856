/** A small desk for tests in a browser: a few tickets that have one of everything, and enough others for three pages. */

import { type RunningSandbox, runningOn } from '../sandbox/running-sandbox.ts';
import type { DoubleOptions } from './logged-sandbox.ts';

export const AGENTS = [
  { id: 'agt_kim', email: 'kim@desk.example', name: 'Kim Park' },
  { id: 'agt_leo', email: 'leo@desk.example', name: 'Leo Brandt' },
];

export interface Desk {
  readonly sandbox: RunningSandbox;
  /** Addresses of pages, by what is there. */
  readonly places: { thread: string; bare: string };
}

/** Other tickets, one an hour before the other, all older than those with a thread. */
const OTHERS = 110;

/** To be closed by its caller: `desk.sandbox.close()`. */
export async function openDesk(options: Partial<DoubleOptions> = {}): Promise<Desk> {
  const sandbox = await runningOn({ agents: AGENTS, ...options });
  for (let n = 0; n < OTHERS; n++) {
    await sandbox.create({
      subject: `Question number ${n}`,
      contact: { email: `person${n % 30}@example.com`, name: `Person ${n % 30}` },
      status: n % 4 === 0 ? 'closed' : 'resolved',
      tags: ['imported', n % 2 === 0 ? 'billing' : 'shipping'],
      ...(n % 3 === 0 ? { assignedToId: 'agt_leo' } : {}),
      createdAt: new Date(Date.UTC(2023, 0, 1) + n * 3_600_000).toISOString(),
    });
  }
  const bare = await sandbox.create({
    subject: 'Nothing in it',
    tags: ['imported'],
    createdAt: '2024-02-02T00:00:00Z',
  });
  const thread = await threadTicket(sandbox);
  return { sandbox, places: { thread: `/tickets/${thread}`, bare: `/tickets/${bare}` } };
}

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';

async function threadTicket(sandbox: RunningSandbox): Promise<string> {
  const ann = { email: 'ann@example.com', name: 'Ann Lee' };
  const id = await sandbox.create({
    subject: 'The kettle arrived broken',
    contact: ann,
    status: 'open',
    priority: 'urgent',
    tags: ['imported', 'damage', 'returns'],
    assignedToId: 'agt_kim',
    createdAt: '2024-03-04T22:15:00Z',
    readOnly: true,
    managedBy: 'old-desk',
  });
  await sandbox.create({
    subject: 'An older question of Ann',
    contact: ann,
    status: 'closed',
    tags: ['imported'],
    createdAt: '2024-02-20T09:00:00Z',
  });
  const rows = Array.from({ length: 40 }, (_, n) => `<tr><td>Line ${n}</td><td>${n * 3}.00</td></tr>`).join(
    '',
  );
  const by = {
    ann: { actorType: 'customer', contact: ann },
    kim: { actorType: 'agent', agentId: 'agt_kim' },
  };
  const picture = { name: 'kettle.jpg', contentType: 'image/jpeg', sizeBytes: 810_387 };
  const put = await sandbox.call('PUT', `/tickets/${id}/messages`, [
    {
      ...{ ...by.ann, occurredAt: '2024-03-04T22:15:00Z' },
      content: 'Hello,\n\nmy kettle is broken, see https://photos.example.com/kettle?id=7.\n\nAnn',
      attachments: [
        { url: 'https://files.example.com/kettle.jpg', ...picture },
        { url: 'https://files.example.com/%E9%A0%98.pdf', contentType: 'application/pdf' },
      ],
    },
    {
      ...{ ...by.kim, occurredAt: '2024-03-04T22:40:00Z', contentType: 'markdown', isInternal: true },
      content: 'Third one **this week**. @Leo please check the batch.',
    },
    {
      ...{ ...by.kim, occurredAt: '2024-03-05T09:00:00Z', contentType: 'html' },
      content: `<p>Dear <b>Ann</b>,</p><p>sorry! <a href="https://shop.example.com/r">Return it</a>.</p><img src="${PIXEL}" alt="a dot"><img src="https://pixel.example.com/open.gif" alt="Logo"><table>${rows}</table>`,
    },
    { actorType: 'system', content: 'Label created.', occurredAt: '2024-03-05T09:00:01Z' },
    {
      ...{ ...by.ann, occurredAt: '2024-03-12T10:00:00Z', contentType: 'markdown' },
      content: '# Thanks\n\n- one\n- two\n\n```\ncode\n```',
    },
  ]);
  if (put.status !== 200) throw new Error(`not kept: ${JSON.stringify(put.body)}`);
  const [pending, assigned] = ['2024-03-05T09:00:02Z', '2024-03-12T10:00:01Z'];
  const changed = (type: string, from: object, to: object) => ({ type, oldValue: from, newValue: to });
  await sandbox.call('PUT', `/tickets/${id}/events`, [
    {
      ...changed('status_change', { status: 'open' }, { status: 'pending' }),
      ...by.kim,
      occurredAt: pending,
    },
    {
      ...changed('agent_assigned', { agentId: 'agt_leo' }, { agentId: 'agt_kim' }),
      ...{ actorType: 'system', occurredAt: assigned },
    },
  ]);
  return id;
}
