/** Settings of a run, and flags for its task and its output. */
import { z } from 'zod';
import { option, optional, withDefault } from '../option-spec.ts';
import {
  amount,
  durationInSeconds,
  nonEmpty,
  parseMaxErrors,
  parseRate,
  text,
  texts,
  wholeNumber,
} from '../parsers.ts';

export const SANDBOX_FOLDER = 'helpdesk-import.sandbox';
/** The sandbox's first choice of a port: with the same address a checkpoint stays valid. */
export const SANDBOX_PORT = 4180;
/** The default file of the report. */
export const REPORT_FILE = 'helpdesk-import.report.html';

/** Flags for the task of one run. */
export const TASK_SWITCHES = z.object({
  dryRun: withDefault(z.boolean(), false, {
    flag: option('What to do', '--dry-run', 'check everything, report every problem, send nothing'),
  }),
  serve: withDefault(z.boolean(), false, {
    flag: option('What to do', '--serve', 'with --sandbox: keep the service open afterwards, until Ctrl-C'),
  }),
  delta: withDefault(z.boolean(), false, {
    flag: option('What to do', '--delta', 'import what is new since the last run: tickets, messages, states'),
    option: 'delta',
  }),
  yes: withDefault(z.boolean(), false, { flag: option('What to do', '--yes', 'ask no questions') }),
});

/** Flags for the output of one run. */
export const OUTPUT_SWITCHES = z.object({
  redact: withDefault(z.boolean(), false, {
    flag: option(
      'What is written',
      '--redact',
      'hide personal data in the report, in problems and in --json: addresses, names, subjects, messages, quoted values',
      { advanced: true },
    ),
    option: 'redact',
  }),
  json: withDefault(z.boolean(), false, {
    flag: option(
      'What is written',
      '--json',
      'print one JSON summary; everything else goes to standard error',
    ),
  }),
  quiet: withDefault(z.boolean(), false, {
    flag: option('Display', '--quiet', 'print only the verdict, the counts and the errors'),
  }),
  verbose: withDefault(z.boolean(), false, {
    flag: option('Display', '--verbose', 'print every request, retry and wait', { advanced: true }),
  }),
  progress: withDefault(z.boolean(), true, {
    flag: option('Display', '--no-progress', 'plain lines instead of the progress bar', { advanced: true }),
  }),
});

/** Values that only flags give. */
export const TASK = z.object({
  /** Tickets of a trial. */
  trial: optional(amount(wholeNumber(5, 10)), {
    flag: option('What to do', '--trial [n]', 'import 5 to 10 representative tickets, then check them', {
      byDefault: '8',
    }),
    alone: '8',
    option: 'trialSize',
  }),
  /** Folder of the sandbox, if the run goes there. */
  sandbox: optional(text(nonEmpty), {
    flag: option('What to do', '--sandbox [dir]', 'import into a local service, with its own checkpoint', {
      byDefault: SANDBOX_FOLDER,
    }),
    alone: SANDBOX_FOLDER,
    option: 'target.sandbox',
  }),
  /** External ID of the ticket to explain. */
  explain: optional(text(nonEmpty), {
    flag: option(
      'What to do',
      '--explain <id>',
      'show where each field of one ticket comes from: file, line, column, rule',
    ),
  }),
});

export const RUN = z.object({
  batchSize: withDefault(amount(wholeNumber(1, 10_000)), 100, {
    description: 'Tickets per batch; 50 to 100 is recommended.',
  }),
  order: withDefault(z.enum(['open-first', 'file']), 'open-first', {
    description:
      'In which order tickets are sent: "open-first" sends the open and pending ones, the newest first, then all others, the newest first; "file" keeps the order of the export.',
    option: 'order',
  }),
  concurrency: withDefault(amount(wholeNumber(1, 1024)), 16, {
    description: 'Tickets in flight.',
    flag: option('How to send it', '--concurrency <n>', 'tickets in flight', { advanced: true }),
  }),
  /** All apply at once; empty: no budget (sandbox). A shard has its share. */
  rate: withDefault(texts(parseRate), ['1000/60', '5000/300'], {
    description:
      'Request budgets as requests/seconds; all of them hold in any window. Given, they replace the defaults.',
    examples: [['1000/60']],
    flag: option(
      'How to send it',
      '--rate <n/seconds>',
      'at most n requests in any window of that many seconds, reads and retries included; repeatable; replaces both defaults',
      { advanced: true, repeat: true },
    ),
    inSandbox: { default: [] },
  }),
  /** Seconds, at least half a second. */
  timeout: withDefault(amount(durationInSeconds(0.5, 86_400)), 30, {
    description:
      'Seconds after which a request without an answer has an unknown outcome. A create is looked for until half as long again has passed.',
    flag: option(
      'How to send it',
      '--timeout <seconds>',
      'how long to wait for an answer; after that the outcome of a request is unknown',
      { advanced: true },
    ),
  }),
  maxErrors: optional(amount(parseMaxErrors), {
    description: 'Stop when more tickets than this are rejected or failed: a number or a share.',
    examples: [50, '5%'],
    flag: option(
      'How to send it',
      '--max-errors <n|n%>',
      'stop when more tickets than this are rejected or failed',
      { advanced: true, byDefault: 'none' },
    ),
  }),
  allowPlainHttp: withDefault(z.boolean(), false, {
    description:
      'Send the token and the tickets to another machine over http, where anyone in between can read them.',
  }),
});

/** Outputs. In the file they are in `run`. */
export const OUTPUT = z.object({
  checkpoint: withDefault(text(nonEmpty), 'helpdesk-import.checkpoint.sqlite', {
    description: 'The checkpoint file, relative to this file.',
    flag: option('Where to send it', '--checkpoint <file>', 'SQLite checkpoint file'),
    option: 'checkpoint',
    isPath: true,
    inSandbox: { default: 'checkpoint.sqlite' },
  }),
  rejects: withDefault(text(nonEmpty), 'helpdesk-import.rejects', {
    description: 'Folder for rejected and failed tickets, relative to this file.',
    flag: option('What is written', '--rejects <dir>', 'folder for rejected and failed tickets', {
      byDefault: 'helpdesk-import.rejects/',
    }),
    option: 'rejects',
    isPath: true,
    inSandbox: { default: 'rejects' },
  }),
  report: optional(text(nonEmpty), {
    description: 'HTML report to write, relative to this file.',
    flag: option('What is written', '--report <file>', 'write an HTML report'),
    option: 'report',
    isPath: true,
  }),
  logFile: optional(text(nonEmpty), {
    description: 'Log file to append to, relative to this file: what is shown, with times, and each ticket.',
    isPath: true,
  }),
});
