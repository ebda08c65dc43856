import { describe, expect, it } from 'vitest';
import { AgentDirectory } from '../../src/mapping/people/actors.ts';
import { builtinLayout } from '../../src/mapping/platforms/builtin-layouts.ts';
import { mapExport, payloads } from './support/map-export.ts';

const TICKETS = 'id,subject,status,createdAt,assignedToId\n1,a,open,2024-01-01T00:00:00Z,agt_1\n';
const MESSAGES =
  'ticketId,actorType,agentId,content,occurredAt\n1,agent,agt_2,hi,2024-01-01T00:00:00Z\n1,agent,agt_9,x,2024-01-01T00:00:00Z\n';

describe('what agents are called', () => {
  it('in the native layout a table of agents names the ids that tickets and messages hold, and changes no payload', async () => {
    const without = await mapExport({ 'tickets.csv': TICKETS, 'messages.csv': MESSAGES });
    const named = await mapExport({
      'tickets.csv': TICKETS,
      'messages.csv': MESSAGES,
      'agents.csv': 'id,name,team\nagt_1,Nora,shop\nagt_2,遥,shop\nagt_3,Never Seen,shop\n',
    });
    expect(Object.fromEntries(named.mapper.agentNames())).toEqual({ agt_1: 'Nora', agt_2: '遥' });
    expect(named.tickets.map(payloads)).toEqual(without.tickets.map(payloads));
    expect(named.mapper.problems()).toEqual([]);
    expect(without.mapper.agentNames().size).toBe(0);
  });

  it('where an export knows people, the ids that they have in the target take their names', async () => {
    const { mapper } = await mapExport(
      {
        'tickets.jsonl': `${JSON.stringify({
          ...{
            id: 1,
            subject: 'a',
            description: 'b',
            requester_id: 1,
            submitter_id: 1,
            assignee_id: 2,
            via: {},
          },
          ...{ status: 'open', created_at: '2024-01-01T00:00:00Z' },
        })}\n`,
        'comments.jsonl': [2, 3]
          .map((author) =>
            JSON.stringify({
              ticket_id: 1,
              id: author,
              author_id: author,
              body: 'x',
              public: true,
              created_at: '2024-01-02T00:00:00Z',
            }),
          )
          .join('\n'),
        'users.jsonl': [
          { id: 1, email: 'ann@example.com', name: 'Ann', role: 'end-user' },
          { id: 2, email: 'mia@team.example', name: 'Mia Holm', role: 'agent' },
          { id: 3, email: 'old@team.example', name: 'Old Hand', role: 'agent' },
        ]
          .map((user) => JSON.stringify(user))
          .join('\n'),
      },
      builtinLayout('zendesk'),
      { fallbackAgent: 'agt_left' },
      { findAgent: async (email) => (email === 'mia@team.example' ? 'agt_mia' : undefined) },
    );
    expect(Object.fromEntries(mapper.agentNames())).toEqual({ agt_mia: 'Mia Holm' });
  });

  it.each<[string, { id?: string; email?: string; name?: string }[], string | undefined]>([
    [
      'the first name stands for one person',
      [
        { id: '1', name: 'Ana' },
        { id: '1', name: 'Ana Silva' },
      ],
      'Ana',
    ],
    [
      'one name found by id and by address is one person',
      [
        { id: '1', name: 'Ana' },
        { email: 'ana@x.example', name: 'Ana' },
      ],
      'Ana',
    ],
    [
      'an id that stands for several people has no name',
      [
        { id: '1', name: 'Ana' },
        { id: '2', name: 'Bo' },
        { id: '1', name: 'Ana' },
      ],
      undefined,
    ],
    ['a person without a name gives none', [{ id: '1' }, { id: '1', name: 'Ana' }], 'Ana'],
  ])('%s', (_, people, name) => {
    const directory = new AgentDirectory({ agents: {}, fallbackAgent: undefined });
    for (const person of people)
      directory.noteName('agt_1', { id: undefined, email: undefined, name: undefined, ...person });
    expect(directory.names().get('agt_1')).toBe(name);
  });
});
