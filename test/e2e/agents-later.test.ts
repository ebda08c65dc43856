/** Agents whose ids are filled in after an import: a delta moves their words to them, and touches no other ticket. */
import { expect, it } from 'vitest';
import { agentRows } from '../support/agent-rows.ts';
import { openDesk } from '../support/desk.ts';

const settings = (people: string) =>
  `${people}\n${agentRows({ requester: 'email: email', author: 'name: agent' })}`;

it('agents put right after an import get their words by a delta, and only their tickets are written', async () => {
  const { write, run: typed, rows: held, sandbox } = await openDesk({ inventAgents: false });
  const [ana, left] = ['ana@team.example', 'left@team.example'].map(
    (email) => sandbox.store.agents.add({ email }).id,
  );
  const rows = ['Ana', 'Ben', 'Ana', 'Ben'].map(
    (agent, at) => `${at},Subject ${at},Text ${at},c${at}@example.com,${agent},2024-01-0${at + 1}T00:00:00Z`,
  );
  write('tickets.csv', ['id,subject,text,email,agent,at', ...rows].join('\n'));
  const run = (people: string, ...flags: string[]) => {
    write('own.yaml', settings(people));
    return typed('run', 'tickets.csv', '-c', 'own.yaml', ...flags);
  };
  const words = () =>
    held("SELECT content, agent_id FROM messages WHERE content LIKE 'Text%' ORDER BY content").map(
      ({ content, agent_id }) => `${content} ${agent_id === ana ? 'ana' : 'left'}`,
    );
  const notes = () =>
    JSON.stringify(held("SELECT content FROM messages WHERE content LIKE '%Kept by%' ORDER BY content"));

  expect(await run(`fallbackAgent: ${left}`)).toMatchObject({ code: 0, tickets: { done: 4 } });
  expect(words()).toEqual(['Text 0 left', 'Text 1 left', 'Text 2 left', 'Text 3 left']);
  expect(notes()).toContain('<td>Written by</td><td>Ben</td>');

  const before = sandbox.log.requests().length;
  const delta = await run(`agents: { Ana: ${ana} }\nfallbackAgent: ${left}`, '--delta');
  expect(delta).toMatchObject({ code: 0, tickets: { done: 4 } });
  expect(words()).toEqual(['Text 0 ana', 'Text 1 left', 'Text 2 ana', 'Text 3 left']);
  const writes = sandbox.log
    .requests()
    .slice(before)
    .filter(({ method }) => method !== 'GET');
  expect(writes.map(({ method, kind }) => `${method} ${kind}`)).toEqual(['PUT messages', 'PUT messages']);
  expect(words()).toHaveLength(4);
});

it('a dry run of a delta without a helpdesk sees the changes of tickets whose agents it cannot ask for, and no others', async () => {
  const { write, run, env, typeWith, sandbox } = await openDesk({ inventAgents: false });
  sandbox.store.agents.add({ email: 'ana@team.example' });
  write('own.yaml', agentRows({ requester: 'email: email', author: 'email: agent' }));
  const rows = (of: readonly string[]) =>
    write(
      'tickets.csv',
      [
        'id,subject,text,email,agent,at',
        ...of.map((row, at) => `${at},Subject,${row},2024-01-01T00:00:00Z`),
      ].join('\n'),
    );
  rows(['One,c1@example.com,ana@team.example', 'Two,c2@example.com,ana@team.example']);
  expect(await run('run', 'tickets.csv', '-c', 'own.yaml')).toMatchObject({ tickets: { done: 2 } });

  rows(['One,c1@example.com,ana@team.example', 'Two,c2@example.com,new@team.example']);
  const alone = Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'HELPDESK_TOKEN'));
  const dry = ['run', 'tickets.csv', '-c', 'own.yaml', '--delta', '--dry-run', '--json'];
  expect(JSON.parse((await typeWith({ env: alone }, ...dry)).stdout)).toMatchObject({
    tickets: { read: 2, update: 1, unchanged: 1 },
    people: { later: 1 },
  });
});
