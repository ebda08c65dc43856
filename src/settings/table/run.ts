/** Settings of a run, and flags for its task and its output. */
import { option } from '../option-spec.ts';
import { durationInSeconds, nonEmpty, parseMaxErrors, parseRate, wholeNumber } from '../parsers.ts';
import { amount, text, texts, toggle, word } from '../setting.ts';

export const SANDBOX_FOLDER = 'helpdesk-import.sandbox';
/** The sandbox's first choice of a port: with the same address a checkpoint stays valid. */
export const SANDBOX_PORT = 4180;
/** The default file of the report. */
export const REPORT_FILE = 'helpdesk-import.report.html';

/** Flags of `run` that are not in the settings file. */
export const SWITCHES = {
  dryRun: option('What to do', '--dry-run', 'check everything, report every problem, send nothing'),
  serve: option('What to do', '--serve', 'with --sandbox: keep the service open afterwards, until Ctrl-C'),
  delta: option('What to do', '--delta', 'import what is new since the last run: tickets, messages, states', {
    carried: true,
  }),
  yes: option('What to do', '--yes', 'ask no questions'),
  redact: option(
    'What is written',
    '--redact',
    'hide personal data in the report, in problems and in --json: addresses, names, subjects, messages, quoted values',
    { advanced: true },
  ),
  json: option('What is written', '--json', 'print one JSON summary; everything else goes to standard error'),
  quiet: option('Display', '--quiet', 'print only the verdict, the counts and the errors'),
  verbose: option('Display', '--verbose', 'print every request, retry and wait', { advanced: true }),
  noProgress: option('Display', '--no-progress', 'plain lines instead of the progress bar', {
    advanced: true,
  }),
};

export type Switch = keyof typeof SWITCHES;

/** Values that only flags give. */
export const TASK = {
  /** Tickets of a trial. */
  trial: amount(wholeNumber(5, 10), {
    flag: option('What to do', '--trial [n]', 'import 5 to 10 representative tickets, then check them', {
      byDefault: '8',
    }),
    alone: '8',
    option: 'trialSize',
  }),
  /** Folder of the sandbox, if the run goes there. */
  sandbox: text(nonEmpty, {
    flag: option('What to do', '--sandbox [dir]', 'import into a local service, with its own checkpoint', {
      byDefault: SANDBOX_FOLDER,
      carried: true,
    }),
    alone: SANDBOX_FOLDER,
    option: 'target.sandbox',
  }),
  /** External ID of the ticket to explain. */
  explain: text(nonEmpty, {
    flag: option(
      'What to do',
      '--explain <id>',
      'show where each field of one ticket comes from: file, line, column, rule',
    ),
  }),
};

export const RUN = {
  batchSize: amount(wholeNumber(1, 10_000), {
    description: 'Tickets per batch; 50 to 100 is recommended.',
    default: 100,
  }),
  order: word(['open-first', 'file'], {
    description:
      'In which order tickets are sent: "open-first" sends the open and pending ones, the newest first, then all others, the newest first; "file" keeps the order of the export.',
    default: 'open-first',
    option: 'order',
  }),
  concurrency: amount(wholeNumber(1, 1024), {
    description: 'Tickets in flight.',
    default: 16,
    flag: option('How to send it', '--concurrency <n>', 'tickets in flight', { advanced: true }),
  }),
  /** All apply at once; empty: no budget (sandbox). A shard has its share. */
  rate: texts(parseRate, {
    description:
      'Request budgets as requests/seconds; all of them hold in any window. Given, they replace the defaults.',
    default: ['1000/60', '5000/300'],
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
  timeout: amount(durationInSeconds(0.5, 86_400), {
    description:
      'Seconds after which a request without an answer has an unknown outcome. A create is looked for until half as long again has passed.',
    default: 30,
    flag: option(
      'How to send it',
      '--timeout <seconds>',
      'how long to wait for an answer; after that the outcome of a request is unknown',
      { advanced: true },
    ),
  }),
  maxErrors: amount(parseMaxErrors, {
    description: 'Stop when more tickets than this are rejected or failed: a number or a share.',
    examples: [50, '5%'],
    flag: option(
      'How to send it',
      '--max-errors <n|n%>',
      'stop when more tickets than this are rejected or failed',
      { advanced: true, byDefault: 'none' },
    ),
  }),
  allowPlainHttp: toggle({
    description:
      'Send the token and the tickets to another machine over http, where anyone in between can read them.',
    default: false,
  }),
};

/** Outputs. In the file they are in `run`. */
export const OUTPUT = {
  checkpoint: text(nonEmpty, {
    description: 'The checkpoint file, relative to this file.',
    default: 'helpdesk-import.checkpoint.sqlite',
    flag: option('Where to send it', '--checkpoint <file>', 'SQLite checkpoint file'),
    option: 'checkpoint',
    isPath: true,
    inSandbox: { default: 'checkpoint.sqlite' },
  }),
  rejects: text(nonEmpty, {
    description: 'Folder for rejected and failed tickets, relative to this file.',
    default: 'helpdesk-import.rejects',
    flag: option('What is written', '--rejects <dir>', 'folder for rejected and failed tickets', {
      byDefault: 'helpdesk-import.rejects/',
      carried: true,
    }),
    option: 'rejects',
    isPath: true,
    inSandbox: { default: 'rejects' },
  }),
  report: text(nonEmpty, {
    description: 'HTML report to write, relative to this file.',
    flag: option('What is written', '--report <file>', 'write an HTML report'),
    option: 'report',
    isPath: true,
  }),
  logFile: text(nonEmpty, {
    description: 'Log file to append to, relative to this file: what is shown, with times, and each ticket.',
    isPath: true,
  }),
};
