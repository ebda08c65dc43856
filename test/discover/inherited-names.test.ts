/** Columns, values and files that are called like what every object has: they are names like any other. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const TIME = '2024-01-02T03:04:05Z';

describe.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s', (name) => {
  it('as a table, a key, a column and a role', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('all'));
    const put = (file: string, lines: string[]) =>
      writeFileSync(folder.join(`all/${file}`), `${lines.join('\n')}\n`);
    put(`${name}.csv`, [
      `id,title,${name}_id,requester_email,created_at`,
      `1,One,7,a@example.com,${TIME}`,
      `2,Two,8,b@example.com,${TIME}`,
    ]);
    put('comments.csv', [
      `id,${name},body,author_email,created_at`,
      `1,1,hello,a@example.com,${TIME}`,
      `2,2,hello,b@example.com,${TIME}`,
    ]);
    put('users.csv', [`${name},name,email,role`, `7,A,a@example.com,${name}`, '8,B,b@example.com,agent']);
    for (const args of [
      ['inspect', 'all'],
      ['init', 'all', '--yes'],
      ['run', 'all', '--dry-run'],
    ]) {
      const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path });
      expect([0, 2, 3], stderr).toContain(code);
      expect(stdout + stderr).not.toMatch(/native code|bug in helpdesk-import/);
    }
  });

  it('as a status that somebody has to decide about', async () => {
    using folder = temporaryFolder();
    writeFileSync(
      folder.join('a.csv'),
      `id,subject,email,created_at,status,body\n1,H,a@example.com,${TIME},${name},hello\n2,H,b@example.com,${TIME},open,hello\n`,
    );
    await commandLine(['init', 'a.csv', '--propose', '--yes'], { cwd: folder.path });
    const { code, stderr } = await commandLine(['run', 'a.csv', '--dry-run'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`values.${name} is still to be decided`);
  });
});
