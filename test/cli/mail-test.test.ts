/** `mail-test`: one ticket for the user's own address. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { openScene, type Scene } from './scene.ts';

const ME = 'lead@mine.example';
const mailTest = (scene: Scene, ...args: string[]) => commandLine(['mail-test', ...args], scene.where);
const all = <Row>({ sandbox }: Scene, sql: string) => sandbox.store.database.prepare<[], Row>(sql).all();

describe('mail-test', () => {
  it('makes one open ticket with words of both sides, and says to check the inbox', async () => {
    await using scene = await openScene();
    writeFileSync(scene.folder.join('helpdesk-import.yaml'), 'fallbackAgent: agt_1\n');
    const made = await mailTest(scene, ME);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`Check the inbox and spam folder of ${ME}`);
    expect(all(scene, "SELECT status, body -> 'tags' AS tags FROM tickets")).toEqual([
      { status: 'open', tags: '["import-mail-test"]' },
    ]);
    expect(all(scene, "SELECT body ->> 'actorType' AS actor FROM messages ORDER BY position")).toEqual([
      { actor: 'customer' },
      { actor: 'agent' },
    ]);
  });

  it('says that the ticket may be there when its answer was lost', async () => {
    await using scene = await openScene({ faultTexts: ['reset-after@create#1'] });
    const lost = await mailTest(scene, ME);
    expect(lost.code).toBe(6);
    expect(lost.stderr).toContain('may have been created');
    expect(all(scene, 'SELECT 1 FROM tickets')).toHaveLength(1);
  });

  it('refuses a wrong address and a wrong token, and creates nothing', async () => {
    await using scene = await openScene();
    expect(await mailTest(scene, 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('address'),
    });
    scene.env['HELPDESK_TOKEN'] = 'wrong';
    expect((await mailTest(scene, ME)).code).toBe(5);
    expect(all(scene, 'SELECT 1 FROM tickets')).toEqual([]);
  });
});
