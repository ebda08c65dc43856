import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { importLibrary } from './library.ts';
import { tickets } from './tickets.ts';

const { runImport, AppError } = await importLibrary();

const good = join(fixtures, 'native/good/jsonl/tickets.jsonl');
const demo = join(fixtures, 'demo');

function exportOf(folder: { join(name: string): string }, count: number): string {
  const file = folder.join('tickets.jsonl');
  writeFileSync(file, tickets(count));
  return file;
}

const isTicket = (event: RunEvent) => event.type === 'ticket';

describe('runImport', () => {
  it('a dry run tells what is in the export and leaves nothing behind', async () => {
    using folder = temporaryFolder();
    const result = await runImport({
      files: demo,
      mode: 'dry-run',
      checkpoint: folder.join('checkpoint.sqlite'),
    });
    expect(result.summary).toMatchObject({
      mode: 'dry-run',
      exitCode: 0,
      tickets: { read: 257, pending: 257 },
    });
    expect(result.survey.requests.creates).toBe(257);
    expect(result.survey.trial.length).toBeGreaterThanOrEqual(5);
    expect(result.loss.unusedColumns).toEqual([]);
    expect(result.stoppedBy).toBeUndefined();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('imports into a sandbox, tells each ticket once, and a second run sends nothing', async () => {
    using folder = temporaryFolder();
    const options = { files: exportOf(folder, 12), target: { sandbox: folder.join('sandbox') } };
    const events: RunEvent[] = [];
    const first = await runImport({ ...options, onEvent: (event) => events.push(event) });
    expect(first.summary).toMatchObject({
      exitCode: 0,
      tickets: { read: 12, done: 12 },
      messages: { sent: 12 },
    });
    const reported = events
      .filter(isTicket)
      .map((event) => (event.type === 'ticket' ? event.externalId : ''));
    expect(reported.toSorted()).toEqual(Array.from({ length: 12 }, (_, index) => `T${index}`).toSorted());
    expect(events.flatMap((event) => (event.type === 'stage' ? [event.stage] : []))).toContain('importing');
    const second = await runImport(options);
    expect(second.summary).toMatchObject({ tickets: { read: 12, done: 12 } });
    // It asks whether the target is still the one, and writes nothing.
    expect(second.summary.requests.sent).toBeLessThanOrEqual(12);
    expect([first.summary.requests.changing > 0, second.summary.requests.changing]).toEqual([true, 0]);
  });

  it('imports into a service with the credentials it is given, and with no others', async () => {
    using folder = temporaryFolder();
    const service = await running();
    const options = { files: exportOf(folder, 3), checkpoint: folder.join('checkpoint.sqlite') };
    const target = { baseUrl: service.url, credentials: { token: service.token } };
    const refused = runImport({
      ...options,
      target: { baseUrl: service.url, credentials: { token: 'wrong' } },
      env: { HELPDESK_TOKEN: service.token },
    });
    await expect(refused).rejects.toBeInstanceOf(AppError);
    await expect(refused).rejects.toMatchObject({ code: 'auth', exitCode: 5 });
    expect((await runImport({ ...options, target })).summary.tickets).toMatchObject({ read: 3, done: 3 });
    expect((await service.call('GET', '/tickets?take=50')).body.tickets).toHaveLength(3);
  });

  it('takes target and token from the environment where it is handed one', async () => {
    using folder = temporaryFolder();
    const service = await running();
    const options = { files: exportOf(folder, 2), checkpoint: folder.join('checkpoint.sqlite') };
    await expect(runImport(options)).rejects.toMatchObject({ code: 'configuration' });
    const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token };
    expect((await runImport({ ...options, env })).summary.tickets.done).toBe(2);
  });

  it('a signal that stops it in the midst leaves nothing half-known: the next run ends with each ticket once', async () => {
    using folder = temporaryFolder();
    const service = await running();
    const options = {
      files: exportOf(folder, 40),
      checkpoint: folder.join('checkpoint.sqlite'),
      settings: { run: { concurrency: 1, rate: ['100000/1'] } },
      target: { baseUrl: service.url, credentials: { token: service.token } },
    };
    const stop = new AbortController();
    let seen = 0;
    const stopped = await runImport({
      ...options,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'ticket' && ++seen === 3) stop.abort();
      },
    });
    expect(stopped.stoppedBy?.code).toBe('interrupted');
    expect(stopped.summary.exitCode).toBe(130);
    expect(stopped.summary.tickets.done).toBeGreaterThanOrEqual(3);
    expect(stopped.summary.tickets.pending).toBeGreaterThan(0);
    expect((await runImport(options)).summary.tickets).toMatchObject({ read: 40, done: 40, inDoubt: 0 });
    expect((await service.call('GET', '/tickets?take=100')).body.tickets).toHaveLength(40);
  });

  it('an error of a listener stops the import, is thrown, and costs no ticket', async () => {
    using folder = temporaryFolder();
    const options = { files: exportOf(folder, 20), target: { sandbox: folder.join('sandbox') } };
    const failure = new Error('the listener failed');
    const failing = runImport({
      ...options,
      onEvent: (event) => {
        if (event.type === 'ticket') throw failure;
      },
    });
    await expect(failing).rejects.toBe(failure);
    expect((await runImport(options)).summary.tickets).toMatchObject({ read: 20, done: 20, inDoubt: 0 });
  });

  it('keeps the plan of a dry run, and sends that without the export', async () => {
    using folder = temporaryFolder();
    const plan = folder.join('approved.plan');
    const { summary: kept } = await runImport({ files: exportOf(folder, 3), mode: 'dry-run', plan });
    writeFileSync(folder.join('tickets.jsonl'), '');
    const target = { sandbox: folder.join('sandbox') };
    const { summary } = await runImport({ files: plan, target });
    expect(summary).toMatchObject({ tickets: { done: 3 }, planFile: kept.planFile });
    const whole = readFileSync(plan);
    writeFileSync(plan, whole.subarray(0, -1));
    await expect(runImport({ files: plan, target })).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
  });

  it('who does not confirm the plan sends nothing', async () => {
    using folder = temporaryFolder();
    const service = await running();
    let creates = 0;
    const asked = runImport({
      files: exportOf(folder, 4),
      checkpoint: folder.join('checkpoint.sqlite'),
      target: { baseUrl: service.url, credentials: { token: service.token } },
      confirm: (survey) => {
        creates = survey.requests.creates;
        return false;
      },
    });
    await expect(asked).rejects.toMatchObject({ code: 'usage' });
    expect(creates).toBe(4);
    expect((await service.call('GET', '/tickets')).body.tickets).toEqual([]);
  });

  it('reads standard input from the stream it is given', async () => {
    const { summary } = await runImport({
      files: '-',
      stdin: Readable.from([Buffer.from(tickets(3))]),
      mode: 'dry-run',
    });
    expect(summary.tickets).toMatchObject({ read: 3, pending: 3 });
  });

  it('writes the report, and the rejects of a dry run where they are asked for', async () => {
    using folder = temporaryFolder();
    const result = await runImport({
      files: join(fixtures, 'native/bad/jsonl/tickets.jsonl'),
      mode: 'dry-run',
      report: folder.join('report.html'),
      rejects: folder.join('rejects'),
      redact: true,
    });
    expect(result.summary).toMatchObject({ exitCode: 3, report: folder.join('report.html') });
    expect(readFileSync(folder.join('report.html'), 'utf8')).toContain('</html>');
    expect(existsSync(folder.join('rejects/tickets.jsonl'))).toBe(true);
    expect(result.reportFailure).toBeUndefined();
  });

  it('takes settings as an object with a mapping, and as a file next to its transform', async () => {
    using folder = temporaryFolder();
    writeFileSync(
      folder.join('anfragen.csv'),
      'Nr,Betreff,Mail,Datum,Stand\n7,Kanne,a@example.com,2024-01-02T10:00:00Z,offen\n',
    );
    const settings = {
      mapping: {
        tables: { tickets: { role: 'root', key: 'Nr', recognise: { columns: ['Nr', 'Betreff'] } } },
        maps: { status: { values: { offen: 'open' } } },
        ticket: {
          subject: 'Betreff',
          contact: { email: 'Mail' },
          createdAt: 'Datum',
          status: { column: 'Stand', map: 'status' },
        },
      },
    } as const;
    const mapped = await runImport({
      files: folder.join('anfragen.csv'),
      settings: structuredClone(settings) as never,
      mode: 'dry-run',
    });
    expect(mapped.summary.tickets).toMatchObject({ read: 1, pending: 1 });
    writeFileSync(
      folder.join('leave-out.ts'),
      "export const transform = (): string => 'left out by the transform';\n",
    );
    const { transform: _, ...mapping } = { transform: '', ...settings.mapping };
    writeFileSync(
      folder.join('own.yaml'),
      JSON.stringify({ mapping: { ...mapping, transform: './leave-out.ts' } }),
    );
    const left = await runImport({
      files: folder.join('anfragen.csv'),
      settings: folder.join('own.yaml'),
      mode: 'dry-run',
    });
    expect(left.summary.tickets).toMatchObject({ read: 1, skipped: 1 });
  });
});

describe('runImport refuses, in the words of its options', () => {
  const cases: readonly (readonly [what: string, options: object, code: string, words: RegExp])[] = [
    ['an option that it does not have', { singal: 1 }, 'usage', /no option singal\. Did you mean "signal"/],
    ['a mode that there is not', { mode: 'dryrun' }, 'usage', /dryrun is not one of run, dry-run, trial/],
    [
      'a trial of another size',
      { mode: 'trial', trialSize: 50 },
      'configuration',
      /^trialSize must be .*5 to 10/m,
    ],
    ['no files', { files: [] }, 'configuration', /nothing to read/],
    [
      'a checkpoint in a folder that is not there, before the export is read',
      { files: 'nowhere.jsonl', checkpoint: 'missing/checkpoint.sqlite' },
      'checkpoint',
      /^The folder \S*missing of \S*checkpoint\.sqlite does not exist/m,
    ],
    ['a file that is not there', { files: 'nowhere.jsonl' }, 'source', /nowhere\.jsonl/],
    [
      'a setting that is misspelled',
      { settings: { run: { batchsize: 5 } } },
      'configuration',
      /^settings:3:5: .*batchsize.*batchSize/m,
    ],
    [
      'a setting that is wrong',
      { settings: { run: { batchSize: 'many' } } },
      'configuration',
      /^settings:3:18: run\.batchSize must be/m,
    ],
    ['a mapping that is wrong', { settings: { mapping: { extends: 'zendsk' } } }, 'configuration', /zendsk/],
    [
      'settings that cannot be written',
      { settings: { run: { batchSize: 5n } } },
      'configuration',
      /must be a plain object/,
    ],
    [
      'a settings file that is not there',
      { settings: 'nowhere.yaml' },
      'configuration',
      /nowhere\.yaml does not exist/,
    ],
    [
      'an unusable token',
      { target: { baseUrl: 'https://helpdesk.example.com', credentials: { token: 'Bearer x' } } },
      'configuration',
      /^target\.credentials\.token must be/m,
    ],
    [
      'credentials that do not exist',
      { target: { baseUrl: 'https://helpdesk.example.com', credentials: { tokn: 'x' } } },
      'usage',
      /no key tokn\. Did you mean "token"/,
    ],
    [
      'an invalid address',
      { target: { baseUrl: 'helpdesk', credentials: { token: 'x' } } },
      'configuration',
      /^target\.baseUrl /m,
    ],
    ['an impossible date', { since: new Date(Number.NaN) }, 'configuration', /^since must be a time/m],
    ['an impossible shard', { shard: '5/4' }, 'configuration', /^shard must be/m],
    [
      'a report in a folder that is not there',
      { report: 'nowhere/report.html' },
      'usage',
      /nowhere\/report\.html/,
    ],
  ];

  it.each(cases)('%s', async (_, options, code, words) => {
    using folder = temporaryFolder();
    const given = { files: good, target: { sandbox: folder.join('sandbox') }, ...options };
    const error = await runImport(given as never).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(AppError);
    const { message, hint, lines, ...rest } = error as InstanceType<typeof AppError>;
    expect(rest.code).toBe(code);
    const reported = [message, ...lines, hint ?? ''].join('\n');
    expect(reported).toMatch(words);
    expect(reported).not.toMatch(/--[a-z]/);
    expect(existsSync(folder.join('sandbox/checkpoint.sqlite'))).toBe(false);
  });
});
