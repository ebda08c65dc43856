/** docs/rehearsal.md, command by command, as a reader would type them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, type RunningCli, root, startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';

const page = readFileSync(join(root, 'docs/rehearsal.md'), 'utf8');
const commands = [...page.matchAll(/^npx helpdesk-import (.+)$/gm)].map(([, line = '']) => line.split(' '));

describe('docs/rehearsal.md', () => {
  it('every command works, and the rehearsal ends as it says', async () => {
    using folder = temporaryFolder();
    const { files } = await generateExport({
      dir: folder.path,
      tickets: 40,
      messages: 2,
      seed: 8,
      format: 'jsonl',
    });
    expect(files).toHaveLength(1);
    let service: RunningCli | undefined;
    let env: Record<string, string> = {};
    const codes: string[] = [];
    try {
      for (const words of commands) {
        const args = words.map((word) => (word === 'export.jsonl' ? (files[0] ?? '') : word));
        if (args[0] === 'sandbox') {
          service?.kill('SIGINT');
          await service?.result;
          const free = args.map((word) => (word === '4180' ? '0' : word));
          service = startCli(free, { cwd: folder.path });
          await service.shown('HELPDESK_TOKEN=');
          env = service.exported();
          continue;
        }
        const { code, stderr } = await cli(args, { cwd: folder.path, env });
        expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
        codes.push(`${args[0]} ${code}`);
      }
    } finally {
      service?.kill('SIGINT');
      await service?.result;
    }
    expect(codes).toEqual(['run 0', 'status 0', 'run 0', 'verify 0', 'run 0']);
  }, 120_000);
});
