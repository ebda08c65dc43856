import { expect, it } from 'vitest';
import type { Facts } from '../../src/plan/facts.ts';
import { openDesk, says, ticket } from '../support/desk.ts';

const PICTURES = [
  '<img src="https://old.example/attachments/1.png">',
  '<img src="cid:https://old.example/attachments/2.png">',
  '<img src="cid:gone@mail">',
  '<a href="https://old.example/attachments/3.pdf">3</a>',
];
const EXPORT = [
  ticket('1', {
    messages: [
      {
        ...says(PICTURES.join('')),
        contentType: 'html',
        attachments: [{ url: 'https://old.example/attachments/4.txt' }],
      },
      { ...says('![five](https://old.example/attachments/5.png)', 2), contentType: 'markdown' },
    ],
  }),
];

it('pictures and links to files in texts are lost links beside attachments, the same that --files fetches', async () => {
  const desk = await openDesk();
  desk.write('tickets.jsonl', EXPORT);
  const look = async (...more: string[]) =>
    (await desk.run('run', 'tickets.jsonl', '--dry-run', ...more)) as unknown as Facts;
  const { lost, attachments } = await look();
  expect(attachments).toMatchObject({ read: 1, links: 5, tickets: 1 });
  expect(lost.find(({ code }) => code === 'links')?.what).toMatch(
    /^5 files of 1 ticket stay links to old\.example/,
  );
  expect(lost.find(({ code }) => code === 'pictures')).toMatchObject({ count: 1 });
  const kept = await look('--files', 'kept');
  expect(kept).toMatchObject({ files: { wanted: 5 } });
  expect(kept.lost.map(({ code }) => code)).not.toContain('links');
});

it.each([['"https://old.example/a.png"'], ['["https://old.example/a.png"]']])(
  'attachments given as %s are attachments',
  async (attachments) => {
    const desk = await openDesk();
    const people =
      '{"users":[{"id":7,"email":"ann@example.com","name":"Ann","role":"end-user","ticket_restriction":null}]}';
    const comment = `{"id":1,"author_id":7,"body":"Hi","public":true,"created_at":"2024-03-01T08:00:00Z","attachments":${attachments}}`;
    desk.write(
      'tickets.json',
      `{"tickets":[{"id":1,"subject":"S","description":"Hi","requester_id":7,"submitter_id":7,"via":{},"status":"open","created_at":"2024-03-01T08:00:00Z","comments":[${comment}]}]}`,
    );
    desk.write('users.json', people);
    await desk.run('run', 'tickets.json', 'users.json');
    const found = desk.rows<{ url: string }>(
      "SELECT attachments ->> '$[0].url' AS url FROM messages WHERE position = 0",
    );
    expect(found).toEqual([{ url: 'https://old.example/a.png' }]);
  },
);
