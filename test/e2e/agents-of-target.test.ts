/** The agents of the helpdesk: listed so that a person can fill in the ids, and looked up by the addresses of the export. */
import { expect, it } from 'vitest';
import { agentRows } from '../support/agent-rows.ts';
import { openDesk } from '../support/desk.ts';

const TEAM = Array.from({ length: 23 }, (_, at) => ({
  id: `agt_${at + 1}`,
  email: `a${String(at + 1).padStart(2, '0')}@team.example`,
  name: `Agent ${at + 1}`,
}));
/** Ann is asked for as an author and as an assignee, and the helpdesk does not know her. */
const ROWS = `id,subject,text,email,agent,at
1,First,Hello,c1@example.com,ann@team.example,2024-01-01T00:00:00Z
2,Second,Hello,c2@example.com,a02@team.example,2024-01-02T00:00:00Z
`;
const MAPPING = agentRows({ requester: 'email: email', author: 'email: agent' }).replace(
  '  messages:',
  '    assignee: { email: agent }\n  messages:',
);

async function withTeam() {
  const { write, type } = await openDesk({ strict: false, agents: TEAM });
  write('tickets.csv', ROWS);
  return (settings: string, ...words: string[]) => {
    write('own.yaml', settings);
    return type(...words, '-c', 'own.yaml');
  };
}

it('doctor lists the agents of the helpdesk, and names IDs of the settings that are not among them', async () => {
  const call = await withTeam();
  const good = await call(`fallbackAgent: agt_2\n`, 'doctor');
  expect(good.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /✓ agents The helpdesk has 23 agents: agt_1 \(Agent 1\), .*agt_20 \(Agent 20\) and 3 more\./,
  );
  const { code, stdout } = await call(`agents: { ann: agt_1, bob: agt_x }\nfallbackAgent: agt_y\n`, 'doctor');
  expect(code).toBe(0);
  expect(stdout).toMatch(/! agents .*The settings name agt_x, agt_y, which the helpdesk does not list\./);
});

it('a sandbox with a team refuses an unknown agent id, so that a rehearsal finds it', async () => {
  const call = await withTeam();
  const run = ['run', 'tickets.csv', '--yes', '--json'];
  const wrong = await call(`fallbackAgent: agt_1x\n${MAPPING}`, ...run);
  const { tickets, problemGroups } = JSON.parse(wrong.stdout);
  expect(tickets).toMatchObject({ done: 1, failed: 1 });
  expect(JSON.stringify(problemGroups)).toContain('There is no agent agt_1x.');
  const right = await call(`fallbackAgent: agt_1\n${MAPPING}`, ...run);
  expect(JSON.parse(right.stdout)).toMatchObject({ tickets: { done: 2 } });
});
