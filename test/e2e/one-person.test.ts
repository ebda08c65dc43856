/** Several addresses of one person in a file of people become one contact in the target. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openScene } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

const SETTINGS = `agents: { kim@desk.example.com: agt_1 }
mapping:
  name: own
  title: Our own
  tables:
    tickets: { role: root, key: id, recognise: { columns: [id, subject, requester_id] } }
    messages: { role: child, key: ticket_id, recognise: { columns: [ticket_id, body] } }
  otherAuthors: agent
  ticket:
    subject: subject
    status: { const: open }
    createdAt: at
    requester: { id: requester_id, email: email, name: name }
  messages:
    - from: messages
      content: body
      occurredAt: at
      author: { email: author }
      public: true
`;
const TICKETS = `id,subject,at,requester_id,email,name
1,Late,2024-05-01T10:00:00Z,100,ann@home.example,Ann Lee
2,Lost,2024-05-02T10:00:00Z,100,Ann@work.example,Ann Lee
3,Refund,2024-05-03T10:00:00Z,101,bo@x.example,Bo Lind
4,Other,2024-05-04T10:00:00Z,102,bo@y.example,Bo Lind
`;
const MESSAGES = `ticket_id,at,author,body
1,2024-05-01T10:00:00Z,ann@home.example,Where is it?
1,2024-05-01T11:00:00Z,ann@work.example,I write from work.
1,2024-05-01T12:00:00Z,kim@desk.example.com,We look into it.
2,2024-05-02T10:00:00Z,ann@work.example,It has not come.
3,2024-05-03T10:00:00Z,bo@x.example,Please refund it.
4,2024-05-04T10:00:00Z,bo@y.example,Please cancel it.
`;

const WITH_PEOPLE = ['-c', 'people.yaml'];

async function opened() {
  const scene = await openScene();
  const { folder, env } = scene;
  writeFileSync(folder.join('tickets.csv'), TICKETS);
  writeFileSync(folder.join('messages.csv'), MESSAGES);
  writeFileSync(folder.join('own.yaml'), SETTINGS);
  writeFileSync(folder.join('people.yaml'), `${SETTINGS}\npeople: people.csv\n`);
  const type = (...args: string[]) => commandLine(args, { cwd: folder.path, env });
  const run = async (...flags: string[]) => {
    const { code, stdout } = await type(
      'run',
      'tickets.csv',
      'messages.csv',
      '-c',
      'own.yaml',
      '--json',
      '--yes',
      ...flags,
    );
    return { code, ...JSON.parse(stdout) };
  };
  const rows = <Row>(sql: string) => scene.sandbox.store.database.prepare<[], Row>(sql).all();
  return { scene, folder, type, run, rows };
}

describe('an import with a file of people', () => {
  const CONFIRMED = 'address,same_as\nann@work.example,ann@home.example\n';

  it('makes one contact of the addresses of a row, keeps the other address in a note, and merges no other people', async () => {
    const { scene, folder, run, rows } = await opened();
    await using _ = scene;
    writeFileSync(folder.join('people.csv'), CONFIRMED);
    const dry = await run('--dry-run', ...WITH_PEOPLE);
    const codes = (dry.problems as { code: string; count: number }[]).map(
      ({ code, count }) => `${code} ${count}`,
    );
    expect(codes.filter((code) => code.startsWith('merged-person'))).toHaveLength(3);
    expect(await run(...WITH_PEOPLE)).toMatchObject({ code: 0, tickets: { done: 4 } });
    expect(
      rows<{ email: string }>('SELECT email FROM contacts ORDER BY email').map(({ email }) => email),
    ).toEqual(['ann@home.example', 'bo@x.example', 'bo@y.example']);
    const said = rows<{ content: string; role: string }>(
      "SELECT content, body ->> 'actorType' AS role FROM messages WHERE body ->> 'isInternal' = 0 ORDER BY content",
    );
    expect(said.find(({ content }) => content.startsWith('I write from work'))?.role).toBe('customer');
    const notes = rows<{ content: string }>("SELECT content FROM messages WHERE body ->> 'isInternal' = 1");
    expect(notes).toHaveLength(2);
    for (const { content } of notes)
      expect(content).toContain('<td>other addresses of ann@home.example</td><td>ann@work.example</td>');
  });

  it('a delta that forgets the file of people sends nothing; one with the header alone takes the merging back', async () => {
    const { scene, folder, run, rows } = await opened();
    await using _ = scene;
    writeFileSync(folder.join('people.csv'), CONFIRMED);
    expect(await run(...WITH_PEOPLE)).toMatchObject({ code: 0, tickets: { done: 4 } });
    const requests = () => rows<{ n: number }>('SELECT count(*) AS n FROM messages');
    const before = requests();
    const forgotten = await run('--delta');
    expect(forgotten.code).toBe(2);
    expect(JSON.stringify(forgotten)).toContain('merged people by a file of people');
    expect(requests()).toEqual(before);
    // Without --delta nothing that is there is sent again, so it goes on; it is not forgotten by that.
    expect(await run()).toMatchObject({ code: 0 });
    expect((await run('--delta')).code).toBe(2);
    expect(await run(...WITH_PEOPLE, '--delta')).toMatchObject({ code: 0 });
    writeFileSync(folder.join('people.csv'), `${CONFIRMED.split('\n')[0]}\n`);
    // Another requester cannot be brought in, and is listed.
    expect(await run('--delta', ...WITH_PEOPLE)).toMatchObject({ code: 3 });
    const authors = rows<{ email: string }>(
      `SELECT contacts.email AS email FROM messages JOIN contacts ON contacts.seq = messages.contact_seq
       WHERE messages.content LIKE 'It has not come%'`,
    );
    expect(authors).toEqual([{ email: 'ann@work.example' }]);
  });

  it.each([
    [
      'address,same_as,confirmed\na@x.example,b@x.example,no\n',
      'people.csv:1 must have the columns address and same_as, and no others.',
    ],
    ['address,same_as\nfoo,b@x.example\n', 'people.csv:2: "foo" is not an e-mail address.'],
  ])('is refused before anything is sent where the file is wrong: %j', async (text, message) => {
    const { scene, folder, run } = await opened();
    await using _ = scene;
    writeFileSync(folder.join('people.csv'), text);
    const ended = await run(...WITH_PEOPLE);
    expect(ended.code).toBe(2);
    expect(JSON.stringify(ended)).toContain(JSON.stringify(message).slice(1, -1));
  });
});
