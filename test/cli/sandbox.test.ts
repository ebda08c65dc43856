import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, readAgents, sandboxOptions } from '../../src/commands/sandbox.ts';
import { FAULTS } from '../../src/sandbox/faults.ts';
import { routesOf } from '../../src/sandbox/service-app.ts';
import { temporaryFolder } from '../support/cli.ts';

describe('the flags of sandbox', () => {
  it('every flag reaches the service; without any it is well-behaved, in its usual folder', () => {
    expect(sandboxOptions([], {})).toEqual({
      host: '127.0.0.1',
      dir: 'helpdesk-import.sandbox',
      strict: false,
    });
    const flags = { port: 0, host: '0.0.0.0', strict: true, fault: ['503:5', 'slow=20@reads'] };
    expect(sandboxOptions(['desk'], flags)).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      dir: 'desk',
      strict: true,
      faults: { seed: 1, rules: [{ text: '503:5' }, { text: 'slow=20@reads' }] },
    });
  });

  it.each([
    [
      { fault: ['5033', '503:200'] },
      {
        lines: [
          expect.stringMatching(/^5033: there is no fault "5033"/),
          expect.stringMatching(/^503:200: /),
        ],
      },
    ],
  ])('%j is refused', (flags, said) => {
    expect(() => sandboxOptions([], flags)).toThrow(expect.objectContaining({ code: 'usage', ...said }));
  });
});

describe('the help of sandbox', () => {
  it('names every kind of fault', () => {
    const help = command.help?.();
    for (const [name, { meaning }] of Object.entries(FAULTS)) {
      expect(help).toContain(`  ${name} `);
      expect(help).toContain(meaning);
    }
  });

  it('docs/rehearsal.md says what every fault imitates, and has a line for every call', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/rehearsal.md'), 'utf8');
    const unnamed = Object.keys(FAULTS).filter((name) => !new RegExp(`\`${name}[\`=@#]`).test(text));
    const calls = routesOf(false).map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, '{id}')}`);
    const missing = calls.filter((call) => !text.includes(`\`${call}\``));
    expect([unnamed, missing]).toEqual([[], []]);
  });

  it('the examples of faults are understood', () => {
    const specs = [...(command.help?.() ?? '').matchAll(/--fault (\S+)/g)].map((match) => match[1] ?? '');
    expect(specs.length).toBeGreaterThan(3);
    expect(() => sandboxOptions([], { fault: specs })).not.toThrow();
  });
});

describe('team members from a file', () => {
  const read = (text: string) => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('team.csv'), text);
    return readAgents(folder.join('team.csv'));
  };

  it('are read by the names of its columns', () => {
    expect(read('Email,id,NAME\nmia@example.com,agt_1,Mia\nbo@example.com,,\n')).toEqual([
      { email: 'mia@example.com', id: 'agt_1', name: 'Mia' },
      { email: 'bo@example.com' },
    ]);
  });

  it('each mistake is named with its line', () => {
    const text = 'email,id\n,agt_1\nno address,agt_2\na@example.com,agt_3\nb@example.com,agt_3\n';
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        lines: [
          expect.stringMatching(/team\.csv:2: "" is not an e-mail address/),
          expect.stringMatching(/team\.csv:3: "no address" is not an e-mail address/),
          expect.stringMatching(/team\.csv:5: the ID agt_3 belongs to a@example\.com/),
        ],
      }),
    );
  });
});
