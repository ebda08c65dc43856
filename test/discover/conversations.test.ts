/** Three conversations as they will be in the helpdesk: at the end of `init`, in `inspect`, whatever stands in the export. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { initCommand } from '../../src/commands/init/init.ts';
import { inspectCommand } from '../../src/commands/inspect/inspect.ts';
import type { Answer, Decision } from '../../src/discover/propose/proposal.ts';
import { textWidth } from '../../src/domain/printable.ts';
import { conversationLines, type ShownTicket } from '../../src/present/terminal/conversation-view.ts';
import { createStyle } from '../../src/present/terminal/style.ts';
import { answer, cases, screen, settingsIn } from './support.ts';

const shop = join(process.cwd(), cases, 'tienda');

async function initWith(ask: (decision: Decision) => Promise<Answer['value']>) {
  using at = screen();
  const asked: string[] = [];
  await initCommand([shop], { output: settingsIn(at), propose: true }, at.context, (decision) => {
    asked.push(decision.path.join('.'));
    return ask(decision);
  });
  const settings = parse(readFileSync(settingsIn(at), 'utf8')) as { confirm?: Record<string, unknown> };
  return { asked, said: at.stderr(), confirm: settings.confirm };
}

describe('init ends with what will be in the helpdesk', () => {
  it('three conversations, who says what to whom, and one question after what only a person can know', async () => {
    const { asked, said, confirm } = await initWith(answer);
    expect(said).toMatch(/the longest: 3 messages/);
    expect(said).toMatch(/Lucía Marín <lucia\.marin@example\.com> \(customer\) {2}2024-04-03 09:15/);
    expect(said).toMatch(/Nora Gil <nora@example\.net> \(agent, internal note\)/);
    expect(asked.at(-1)).toBe('confirm.conversations');
    expect(confirm).not.toHaveProperty('conversations');
  });

  it.each([
    ['a no', false],
    ['a question that is left open', undefined],
  ])('%s shows what is doubtful and stays open in the settings', async (_, value) => {
    const { said, confirm } = await initWith(async (decision) =>
      decision.path.join('.') === 'confirm.conversations' ? value : answer(decision),
    );
    expect(said).toMatch(/What is doubtful|Nothing looks doubtful by itself/);
    expect(confirm).toMatchObject({ conversations: 'TODO' });
  });

  it('without questions nothing is confirmed by looking', async () => {
    using at = screen();
    await initCommand([shop], { output: settingsIn(at), propose: true, yes: true }, at.context);
    expect(at.stderr()).not.toContain('the longest');
  });
});

it('inspect shows the same, to people and to programs', async () => {
  using at = screen();
  await inspectCommand([shop], {}, at.context);
  expect(at.stdout()).toMatch(/the longest: 3 messages/);
  using json = screen();
  await inspectCommand([shop], { json: true }, json.context);
  const { conversations } = JSON.parse(json.stdout()) as { conversations: ShownTicket[] };
  expect(conversations.map(({ externalId }) => externalId)).toEqual(['701', '702', '703']);
});

describe('whatever an export holds', () => {
  const hostile: ShownTicket = {
    externalId: '\u001b[2J'.repeat(50),
    why: 'the longest: 9 messages',
    subject: `${'\u202e'}${'x'.repeat(500)}`,
    requester: 'A'.repeat(300),
    messages: [
      {
        role: 'customer',
        who: `${'名'.repeat(200)}\u0007`,
        isInternal: true,
        at: '2024-01-01 08:00',
        text: `${'y'.repeat(5000)} ${'word '.repeat(900)}`,
        attachments: 3,
      },
      { role: '', isInternal: false, at: '', text: ' \n ', attachments: 0 },
      {
        role: 'agent',
        isInternal: false,
        at: 'last Tuesday',
        text: '👩‍👩‍👧 \u001b]0;gone\u0007 bye',
        attachments: 0,
      },
    ],
    gap: { at: 1, count: 7 },
  };

  it.each([40, 60, 80, 200])('lines stay within %i columns, and nothing steers the terminal', (columns) => {
    const style = createStyle({ stream: { isTTY: true, columns }, env: { NO_COLOR: '1', LANG: 'C.UTF-8' } });
    const lines = conversationLines([hostile], style);
    for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(lines.length).toBeLessThan(30);
    expect(lines.join('\n')).toContain('7 more messages');
    expect(lines.join('\n')).toContain('(no text)');
  });

  it('without colour and without symbols the roles stand in words', () => {
    const style = createStyle({ stream: {}, env: { LANG: 'C' } });
    expect(conversationLines([hostile], style).join('\n')).toMatch(/customer, internal note/);
  });
});

it('explain names the finding that concerns a field', async () => {
  const { runCommand } = await import('../../src/commands/run/run.ts');
  const { inProcess } = await import('../cli/in-process.ts');
  const { fixtures } = await import('../support/cli.ts');
  using at = screen();
  const config = join(fixtures, 'findings/not-the-requester/helpdesk-import.yaml');
  const { stdout } = await inProcess(runCommand, [], { config, explain: '3', json: true }, { cwd: at.cwd });
  const fields = JSON.parse(stdout) as { field: string; findings: string[] }[];
  expect(fields.find(({ field }) => field === 'contact')?.findings).toEqual(['not-the-requester']);
  expect(fields.find(({ field }) => field === 'subject')?.findings).toEqual([]);
});
