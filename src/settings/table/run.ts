import { z } from 'zod';
import { option, optional, withDefault } from '../option-spec.ts';
import * as parse from '../parsers.ts';

export const SANDBOX_FOLDER = 'helpdesk-import.sandbox';
/** With the same address a checkpoint stays valid. */
export const SANDBOX_PORT = 4180;
export const REPORT_FILE = 'helpdesk-import.report.html';

export const TASK_SWITCHES = z.object({
  dryRun: withDefault(z.boolean(), false, {
    flag: option('What to do', '--dry-run', 'check everything, report every problem, send nothing'),
  }),
  serve: withDefault(z.boolean(), false, {
    flag: option('What to do', '--serve', 'with --sandbox: keep the service open afterwards, until Ctrl-C'),
  }),
  delta: withDefault(z.boolean(), false, {
    flag: option('What to do', '--delta', 'import changes since the last run: tickets, messages, statuses'),
  }),
  yes: withDefault(z.boolean(), false, { flag: option('What to do', '--yes', 'ask no questions') }),
});

export const OUTPUT_SWITCHES = z.object({
  redact: withDefault(z.boolean(), false, {
    flag: option(
      'What is written',
      '--redact',
      'hide personal data in the report, in problems and in --json: addresses, names, subjects, messages, quoted values',
      { advanced: true },
    ),
  }),
  json: withDefault(z.boolean(), false, {
    flag: option(
      'What is written',
      '--json',
      'print one JSON object; everything else goes to standard error',
    ),
  }),
  quiet: withDefault(z.boolean(), false, {
    flag: option('Display', '--quiet', 'print only the verdict, the counts and the errors'),
  }),
  verbose: withDefault(z.boolean(), false, {
    flag: option('Display', '--verbose', 'print every request, retry and wait', { advanced: true }),
  }),
});

export const TASK = z.object({
  trial: optional(parse.amount(parse.wholeNumber(5, 10)), {
    flag: option('What to do', '--trial [n]', 'import 5 to 10 representative tickets, then check them', {
      byDefault: '8',
    }),
    alone: '8',
  }),
  sandbox: optional(parse.text(parse.nonEmpty), {
    flag: option('What to do', '--sandbox [dir]', 'import into a local service, with its own checkpoint', {
      byDefault: SANDBOX_FOLDER,
    }),
    alone: SANDBOX_FOLDER,
  }),
});

export const RUN = z.object({
  batchSize: withDefault(parse.amount(parse.wholeNumber(1, 10_000)), 100, {
    description: 'Tickets per batch; 50 to 100 is recommended. Fewer than 16 are all in flight at once.',
  }),
  /** All apply at once; empty: no budget (sandbox). */
  rate: withDefault(parse.texts(parse.parseRate), ['1000/60', '5000/300'], {
    description:
      'Request budgets as requests/seconds; all of them hold in any window. Given, they replace the defaults.',
    examples: [['1000/60']],
    inSandbox: { default: [] },
  }),
  timeout: withDefault(parse.amount(parse.durationInSeconds(0.5, 86_400)), 30, {
    description:
      'Seconds after which a request without an answer has an unknown outcome. A create is looked for until half as long again has passed.',
  }),
  maxErrors: optional(parse.amount(parse.parseMaxErrors), {
    description: 'Stop when more tickets than this are rejected or failed: a number or a share.',
    examples: [50, '5%'],
  }),
  allowPlainHttp: withDefault(z.boolean(), false, {
    description:
      'Send the token and the tickets to another machine over http, where anyone in between can read them.',
  }),
});

export const OUTPUT = z.object({
  checkpoint: withDefault(parse.text(parse.nonEmpty), 'helpdesk-import.checkpoint.sqlite', {
    description: 'The checkpoint file, relative to this file.',
    flag: option('Where to send it', '--checkpoint <file>', 'SQLite checkpoint file'),
    isPath: true,
    inSandbox: { default: 'checkpoint.sqlite' },
  }),
  rejects: withDefault(parse.text(parse.nonEmpty), 'helpdesk-import.rejects', {
    description: 'Folder for rejected and failed tickets, relative to this file.',
    isPath: true,
    inSandbox: { default: 'rejects' },
  }),
  report: optional(parse.text(parse.nonEmpty), {
    description: 'HTML report to write, relative to this file.',
    flag: option('What is written', '--report <file>', 'write an HTML report'),
    isPath: true,
  }),
});
