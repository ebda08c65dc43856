/** Agents without an id: the run does what the dry run says. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openScene } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

const COUNT = 20;
const SETTINGS = `mapping:
  name: own
  title: Our own
  tables:
    tickets: { role: root, key: id, recognise: { columns: [id, subject, owner] } }
  ticket:
    subject: subject
    status: { const: open }
    createdAt: { const: '2024-01-01T00:00:00Z' }
    requester: { email: email }
    assignee: { email: owner }
`;
const rows = Array.from(
  { length: COUNT },
  (_, at) => `${at},Subject ${at},c${at}@example.com,ana@team.example`,
);

interface RunSummary {
  readonly tickets: Record<string, number>;
  readonly problemGroups: readonly {
    code: string;
    count: number;
    example: { ticket?: string; message: string };
  }[];
  readonly exitCode: number;
}

async function reported(inventAgents: boolean, ...flags: string[]) {
  return reportedWith({}, inventAgents, ...flags);
}

async function reportedWith(variables: Record<string, string>, inventAgents: boolean, ...flags: string[]) {
  await using scene = await openScene({ inventAgents });
  writeFileSync(scene.folder.join('tickets.csv'), ['id,subject,email,owner', ...rows].join('\n'));
  writeFileSync(scene.folder.join('own.yaml'), SETTINGS);
  const args = ['run', 'tickets.csv', '-c', 'own.yaml', '--json', '--quiet', ...flags];
  const { stdout } = await commandLine(args, { cwd: scene.folder.path, env: { ...scene.env, ...variables } });
  const assigned = scene.sandbox.store.database
    .prepare('SELECT count(*) FROM tickets WHERE assigned_to_id IS NOT NULL')
    .pluck()
    .get();
  return { ...(JSON.parse(stdout) as RunSummary), assigned };
}

const lost = ({ problemGroups }: RunSummary) => problemGroups.find(({ code }) => code === 'lost-assignee');

describe('assignees without an agent id', () => {
  it('are counted and reported by the run', async () => {
    const run = await reported(false);
    expect(run).toMatchObject({ exitCode: 0, assigned: 0, tickets: { done: COUNT } });
    expect(lost(run)).toMatchObject({
      count: COUNT,
      example: { ticket: '0', message: expect.stringContaining('ana@team.example') },
    });
  });

  it('are no loss of a dry run without a token: they are looked up at import', async () => {
    const dry = await reportedWith({ HELPDESK_TOKEN: '' }, false, '--dry-run');
    expect(lost(dry)).toBeUndefined();
    expect(dry.problemGroups.find(({ code }) => code === 'agents-asked')?.example.message).toContain(
      'ana@team.example',
    );
  });

  it('are not lost if the target has them', async () => {
    const run = await reported(true);
    expect(run.assigned).toBe(COUNT);
    expect(lost(run)).toBeUndefined();
  });
});
