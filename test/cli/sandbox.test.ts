import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgents } from '../../src/commands/sandbox/sandbox-agents.ts';
import { readSandboxFlags } from '../../src/commands/sandbox/sandbox-flags.ts';
import { SANDBOX_OPTIONS, sandboxHelp } from '../../src/commands/sandbox/sandbox-options.ts';
import { routesOf } from '../../src/sandbox/core/routes.ts';
import { FAULTS } from '../../src/sandbox/faults/faults.ts';
import { temporaryFolder } from '../support/cli.ts';

describe('the flags of sandbox', () => {
  it('without any it is a well-behaved service in its usual folder', () => {
    const { options, port, dir, isOpen } = readSandboxFlags([], {});
    expect({ port, dir, isOpen }).toEqual({ port: undefined, dir: 'helpdesk-import.sandbox', isOpen: false });
    expect(options).toEqual({
      host: '127.0.0.1',
      dir: 'helpdesk-import.sandbox',
      rateLimits: [],
      readable: true,
      racyContacts: false,
      bareTicket: false,
      strict: false,
    });
  });

  it('every flag reaches the service', () => {
    const { options, port, dir, isOpen } = readSandboxFlags([], {
      port: '0',
      host: '0.0.0.0',
      memory: true,
      fault: ['503:5', 'slow=20@reads'],
      seed: '7',
      rateLimit: ['10/1', '100/60'],
      unreadable: '403',
      racyContacts: '20',
      bare: true,
      strict: true,
    });
    expect({ port, dir, isOpen }).toEqual({ port: 0, dir: undefined, isOpen: true });
    expect(options).toMatchObject({
      host: '0.0.0.0',
      rateLimits: [
        { requests: 10, seconds: 1 },
        { requests: 100, seconds: 60 },
      ],
      readable: 403,
      racyContacts: 20,
      bareTicket: true,
      strict: true,
      faults: { seed: 7, rules: [{ text: '503:5' }, { text: 'slow=20@reads' }] },
    });
    expect(options).not.toHaveProperty('dir');
  });

  it('files of team members and of what is sold are named, and read later', () => {
    const { agents, billing } = readSandboxFlags([], { agents: 'team.csv', billing: 'billing.json' });
    expect({ agents, billing }).toEqual({ agents: 'team.csv', billing: 'billing.json' });
  });

  it('flags whose value may be missing have their usual one', () => {
    const { options } = readSandboxFlags([], { unreadable: true, racyContacts: true });
    expect(options).toMatchObject({ readable: 404, racyContacts: 5 });
  });

  it('everything that is wrong is told at once', () => {
    const flags = {
      port: '99999',
      seed: '-1',
      rateLimit: ['10', '2000000/1'],
      unreadable: '500',
      racyContacts: 'x',
      fault: ['5033', '503:200'],
      memory: true,
    };
    const lines = [
      /^--port must be a whole number from 0 to 65535/,
      /^--seed must be/,
      /^--rate-limit must be requests\/seconds/,
      /^--rate-limit takes at most 1000000/,
      /^--unreadable must be one of/,
      /^--racy-contacts must be/,
      /^--fault 5033: there is no fault "5033"/,
      /^--fault 503:200: /,
      /^--memory keeps nothing/,
    ];
    try {
      readSandboxFlags(['data'], flags);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'usage' });
      const reported = (error as { lines: string[] }).lines;
      for (const line of lines) expect(reported).toContainEqual(expect.stringMatching(line));
      expect(reported).toHaveLength(lines.length);
    }
  });
});

describe('the help of sandbox', () => {
  it('names every kind of fault, and every option has an example', () => {
    const help = sandboxHelp();
    for (const [name, { meaning }] of Object.entries(FAULTS)) {
      expect(help).toContain(`  ${name} `);
      expect(help).toContain(meaning);
    }
    expect(SANDBOX_OPTIONS.filter(({ example }) => example === undefined)).toEqual([]);
  });

  it('docs/rehearsal.md says of every fault what failure of real services it stands for', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/rehearsal.md'), 'utf8');
    const names = Object.keys(FAULTS).map((name) => name.replace(/(?<!retry)-(?:before|after)$/, ''));
    const reported = (name: string) => new RegExp(`\`${name}[\`=@#]`).test(text);
    expect(names.filter((name) => !reported(name))).toEqual([]);
  });

  it('docs/rehearsal.md has a line for every call of the Core API', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/rehearsal.md'), 'utf8');
    const table = text.slice(text.indexOf('| call | the specification |'));
    const missing = routesOf(false).filter(({ method, path }) => {
      const place = path.replaceAll(/\{\w+\}/g, '{id}');
      const last = `/${place.split('/').at(-1)}`;
      const rows = table.split('\n').map((row) => row.split(' | ')[0] ?? '');
      return (
        !rows.some((row) => row.includes(method) && (row.includes(place) || row.includes(`\`${last}`))) &&
        !rows.some(
          (row) => row.includes('`/addTags`') && place.startsWith('/contacts') && row.includes('POST'),
        )
      );
    });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('the examples of faults are understood', () => {
    const specs = [...sandboxHelp().matchAll(/--fault (\S+)/g)].map((match) => match[1] ?? '');
    expect(specs.length).toBeGreaterThan(3);
    expect(() => readSandboxFlags([], { fault: specs })).not.toThrow();
  });
});

describe('team members from a file', () => {
  const read = async (name: string, text: string) => {
    using folder = temporaryFolder();
    writeFileSync(folder.join(name), text);
    return await readAgents(folder.join(name), new AbortController().signal);
  };

  it.each([
    ['team.csv', 'Email,id,NAME\nmia@example.com,agt_1,Mia\nbo@example.com,,\n'],
    ['team.csv', 'id;name;email\nagt_1;Mia;mia@example.com\n;;bo@example.com\n'],
    ['team.json', '[{"email":"mia@example.com","id":"agt_1","name":"Mia"},{"email":"bo@example.com"}]'],
    [
      'team.json',
      '{"agents":[{"email":"mia@example.com","id":"agt_1","name":"Mia"},{"email":"bo@example.com"}]}',
    ],
  ])('%s: %s', async (name, text) => {
    expect(await read(name, text)).toEqual([
      { email: 'mia@example.com', id: 'agt_1', name: 'Mia' },
      { email: 'bo@example.com' },
    ]);
  });

  it('each mistake is told with its line', async () => {
    const text = 'email,id\n,agt_1\nno address,agt_2\na@example.com,agt_3\nb@example.com,agt_3\n';
    await expect(read('team.csv', text)).rejects.toMatchObject({
      code: 'usage',
      lines: [
        expect.stringMatching(/team\.csv:2: a team member has no email/),
        expect.stringMatching(/team\.csv:3: "no address" is not an e-mail address/),
        expect.stringMatching(/team\.csv:5: the id agt_3 is a@example\.com's already/),
      ],
    });
  });
});
