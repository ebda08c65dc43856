import { describe, expect, it } from 'vitest';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { AgentDirectory } from '../../src/mapping/people/actors.ts';
import { mapExport, payloads } from './support/map-export.ts';

const NATIVE = {
  'tickets.csv': 'id,subject,status,createdAt,assignedToId\n1,a,open,2024-01-01T00:00:00Z,agt_1\n',
  'messages.csv': `ticketId,actorType,agentId,content,occurredAt
1,agent,agt_2,hi,2024-01-01T00:00:00Z
1,agent,agt_9,x,2024-01-01T00:00:00Z
`,
};
const AGENTS = 'id,name,team\nagt_1,Nora,shop\nagt_2,遥,shop\nagt_3,Never Seen,shop\n';
const ZENDESK = {
  'tickets.jsonl':
    '{"id":1,"subject":"a","description":"b","requester_id":1,"submitter_id":1,"assignee_id":2,"via":{},"status":"open","created_at":"2024-01-01T00:00:00Z"}',
  'comments.jsonl': [2, 3]
    .map(
      (id) =>
        `{"ticket_id":1,"id":${id},"author_id":${id},"body":"x","public":true,"created_at":"2024-01-02"}`,
    )
    .join('\n'),
  'users.jsonl': `{"id":1,"email":"ann@example.com","name":"Ann","role":"end-user"}
{"id":2,"email":"mia@team.example","name":"Mia Holm","role":"agent"}
{"id":3,"email":"old@team.example","name":"Old Hand","role":"agent"}`,
};

describe('what agents are called', () => {
  it('in the native layout a table of agents names the IDs that tickets and messages hold, and changes no payload', async () => {
    const without = await mapExport(NATIVE);
    const named = await mapExport({ ...NATIVE, 'agents.csv': AGENTS });
    expect(Object.fromEntries(named.mapper.agentNames())).toEqual({ agt_1: 'Nora', agt_2: '遥' });
    expect(named.tickets.map(payloads)).toEqual(without.tickets.map(payloads));
    expect(named.mapper.problems()).toEqual([]);
    expect(without.mapper.agentNames().size).toBe(0);
  });

  it('if an export lists people, the IDs that they have in the helpdesk take their names', async () => {
    const findAgent = async (email: string) => (email === 'mia@team.example' ? 'agt_mia' : undefined);
    const layout = builtinLayout('zendesk');
    const { mapper } = await mapExport(ZENDESK, layout, { fallbackAgent: 'agt_left' }, { findAgent });
    expect(Object.fromEntries(mapper.agentNames())).toEqual({ agt_mia: 'Mia Holm' });
  });

  it.each([
    ['the first name is that of one person', '1: Ana, 1: Ana Silva', 'Ana'],
    ['one name found by id and by address is one person', '1: Ana, ana@x.example: Ana', 'Ana'],
    ['an id of several people has no name', '1: Ana, 2: Bo, 1: Ana', undefined],
    ['a person without a name gives no name', '1:, 1: Ana', 'Ana'],
  ])('%s', (_, people, name) => {
    const directory = new AgentDirectory({ agents: {}, fallbackAgent: undefined });
    for (const person of people.split(', ')) {
      const [who = '', called = ''] = person.split(/: ?/);
      directory.noteName('agt_1', { [who.includes('@') ? 'email' : 'id']: who, name: called || undefined });
    }
    expect(directory.names().get('agt_1')).toBe(name);
  });
});
