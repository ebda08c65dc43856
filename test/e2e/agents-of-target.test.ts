/** The agents of the helpdesk: listed so that a person can fill in the ids, and looked up by the addresses of the export. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../cli/scene.ts';
import { agentRows } from '../support/agent-rows.ts';
import { commandLine } from '../support/command-line.ts';

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

async function call(scene: Scene, settings: string, ...args: string[]) {
  writeFileSync(scene.folder.join('tickets.csv'), ROWS);
  writeFileSync(scene.folder.join('own.yaml'), settings);
  return await commandLine([...args, '-c', 'own.yaml'], { cwd: scene.folder.path, env: scene.env });
}

const team = { inventAgents: false, agents: TEAM };

it('doctor lists the agents of the helpdesk, and names IDs of the settings that are not among them', async () => {
  await using scene = await openScene(team);
  const good = await call(scene, `fallbackAgent: agt_2\n`, 'doctor');
  expect(good.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /✓ agents The helpdesk has 23 agents: agt_1 \(Agent 1\), .*agt_20 \(Agent 20\) and 3 more\./,
  );
  const { code, stdout } = await call(
    scene,
    `agents: { ann: agt_1, bob: agt_x }\nfallbackAgent: agt_y\n`,
    'doctor',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/! agents .*The settings name agt_x, agt_y, which the helpdesk does not list\./);
});

it('a sandbox with a team refuses an unknown agent id, so that a rehearsal finds it', async () => {
  await using scene = await openScene(team);
  const run = ['run', 'tickets.csv', '--yes', '--json'];
  const wrong = await call(scene, `fallbackAgent: agt_1x\n${MAPPING}`, ...run);
  const { tickets, problemGroups } = JSON.parse(wrong.stdout);
  expect(tickets).toMatchObject({ done: 1, failed: 1 });
  expect(JSON.stringify(problemGroups)).toContain('There is no agent agt_1x.');
  const right = await call(scene, `fallbackAgent: agt_1\n${MAPPING}`, ...run);
  expect(JSON.parse(right.stdout)).toMatchObject({ tickets: { done: 2 } });
});
