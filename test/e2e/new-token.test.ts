/** The token file is replaced while an import goes on. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exportTickets, unfairly } from './unfair/unfair-run.ts';

const OTHER = 'another-token';

it.each([
  ['another workspace stops the run with 2, and nothing is written there', false, 2],
  ['the same workspace goes on', true, 0],
])('a new token of %s', async (_, isSame, code) => {
  const { target, write, run, join } = await unfairly();
  const { workspace } = target;
  const other = target.addWorkspace('unused');
  writeFileSync(join('token'), target.env['HELPDESK_TOKEN'] ?? '');
  target.ways.create = (nth) => {
    if (nth !== 4) return undefined;
    writeFileSync(join('token'), OTHER);
    target.rotate(OTHER, isSame ? workspace : other);
    return { reported: { status: 401, body: { error: 'token_expired' } }, effect: 'never' };
  };
  write(exportTickets(8));
  const ended = await run(['--set', 'run.batchSize=2'], {
    HELPDESK_TOKEN: '',
    HELPDESK_TOKEN_FILE: join('token'),
  });
  expect(ended.code, ended.stderr).toBe(code);
  expect(other.tickets.size).toBe(0);
  expect(workspace.tickets.size).toBe(isSame ? 8 : 3);
  if (!isSame) expect(ended.stderr).toMatch(/new token in the token file belongs to another workspace/);
});

it('a new token of another workspace stops an undo with 2, and nothing is written there', async () => {
  const { target, imports, run, join } = await unfairly();
  await imports(exportTickets(3));
  const other = structuredClone(target.workspace);
  for (const ticket of other.tickets.values()) ticket.kept = { ...ticket.kept, tags: ['theirs'] };
  const before = structuredClone(other);
  writeFileSync(join('token'), target.env['HELPDESK_TOKEN'] ?? '');
  let reads = 0;
  target.ways.read = (path) => {
    if (path.endsWith('/messages') && ++reads === 4) {
      writeFileSync(join('token'), OTHER);
      target.rotate(OTHER, other);
    }
    return undefined;
  };
  const env = { HELPDESK_TOKEN: '', HELPDESK_TOKEN_FILE: join('token') };
  const ended = await run(['undo', '--last', '--yes'], env);
  expect(ended.stderr).toMatch(/new token in the token file belongs to another workspace/);
  expect(ended.code).toBe(2);
  expect(other).toEqual(before);
});
