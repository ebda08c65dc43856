/**
 * `run.logFile`: what happens in a run, a line each, for machines without a reader at the screen. It is appended to, so that
 * the runs of a schedule follow one another.
 */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { CliContext } from '../../cli/context.ts';
import { requireOutput } from '../../cli/output-file.ts';
import { AppError } from '../../domain/errors.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { hideSecrets } from '../../domain/secret.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Summary } from '../../summary/summary.ts';
import { OUTCOME_VIEWS } from '../../summary/summary.ts';
import { formatInstant } from '../../view/format.ts';
import { describeEvent } from '../../view/terminal/screen.ts';

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One line, without its time. `fields` are further keys of the JSON. */
interface LogRecord {
  readonly level: LogLevel;
  readonly event: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** What a line of the log says of an event; undefined for events that come many times a second and say nothing new. */
export function logRecord(event: RunEvent, now: number): LogRecord | undefined {
  const { type } = event;
  const said = describeEvent(event, now) ?? '';
  const record = (level: LogLevel, message: string, fields?: LogRecord['fields']): LogRecord => {
    return { level, event: type, message, fields };
  };
  switch (event.type) {
    case 'stage':
      return record('info', event.stage);
    case 'note':
      return record('info', event.message);
    case 'start-import': {
      const { type: _, ...fields } = event;
      return record('info', `importing ${event.tickets} tickets, ${event.alreadyDone} done before`, fields);
    }
    case 'ticket': {
      const { externalId, ticketId, outcome, problem, warnings = [] } = event;
      const isWrong = outcome === 'failed' || outcome === 'rejected';
      const level = isWrong ? 'error' : outcome === 'inDoubt' || warnings.length > 0 ? 'warn' : 'info';
      const sentences = [problem, ...warnings].flatMap((each) => each?.message ?? []);
      const fields = { ticket: externalId, ticketId, outcome, code: problem?.code };
      return record(level, [said, ...sentences].join('; '), fields);
    }
    case 'request': {
      const { type: _, milliseconds, ...fields } = event;
      return record('debug', said, { ...fields, milliseconds: Math.round(milliseconds) });
    }
    case 'retry':
    case 'rate-limited':
      return record('warn', said, { waitMs: Math.round(event.waitMs) });
    case 'waiting':
      return said === '' ? undefined : record('warn', said, { until: formatInstant(event.untilMs) });
    case 'problem': {
      const { severity, code, file, line, column, ticket } = event.problem;
      const level = severity === 'error' ? 'error' : 'warn';
      return record(level, said.slice(severity.length + 1), { code, file, line, column, ticket });
    }
    default:
      return undefined;
  }
}

/** A line as it is written, without its end. */
export function logLine({ level, event, message, fields }: LogRecord, now: number): string {
  return JSON.stringify({ time: formatInstant(now), level, event, ...fields, message });
}

/** An object that begins with its time and level. */
const FIRST_LINE = /^\{"time":"[^"]{1,30}","level":"(?:debug|info|warn|error)","event":"/;

export interface RunLog {
  emit(event: RunEvent): void;
  /** The run has a result. */
  ended(summary: Summary): Promise<void>;
  /** It ended without one. */
  failed(error: unknown): Promise<void>;
}

/** `warn` says once that the log cannot be written any more; a log that fails ends no import. Throws AppError `usage`. */
export async function openRunLog(
  path: string,
  { mode, output: { verbose, redact } }: Settings,
  { clock }: CliContext,
  warn: (message: string) => void,
  force: boolean,
): Promise<RunLog> {
  const hide = redact ? (await import('../../view/redact.ts')).redactProblem : undefined;
  const isOurs = (head: string) => FIRST_LINE.test(head);
  requireOutput({ path, name: `The log file ${path}`, isOurs, force, mayBeStream: true });
  try {
    await (await open(path, 'a', 0o600)).close();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AppError('usage', `The log file ${path} cannot be written (${code ?? 'error'}).`, {
      hint:
        code === 'ENOENT'
          ? 'Create its folder, or name another file.'
          : 'Check its folder and its permissions.',
      cause,
    });
  }
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  let hasFailed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!hasFailed) warn(`The log file ${path} cannot be written any more (${error.code ?? error.message}).`);
    hasFailed = true;
  });
  const write = (record: LogRecord) => {
    if (!hasFailed) stream.write(`${hideSecrets(logLine(record, clock.now()))}\n`);
  };
  const end = async (message: string, exitCode: number, fields: object) => {
    const level = exitCode === 0 ? 'info' : 'error';
    write({ level, event: 'end', message, fields: { mode, exitCode, ...fields } });
    stream.end();
    await finished(stream).catch(() => undefined);
  };
  return {
    emit: (event) => {
      const shown = event.type === 'problem' && hide ? { ...event, problem: hide(event.problem) } : event;
      const record = logRecord(shown, clock.now());
      if (record !== undefined && (verbose || record.level !== 'debug')) write(record);
    },
    ended: ({ tickets, exitCode }) => {
      const counts = OUTCOMES.map((outcome) => `, ${tickets[outcome]} ${OUTCOME_VIEWS[outcome].word}`);
      return end(`${mode} ended with ${exitCode}: ${tickets.read} read${counts.join('')}`, exitCode, {
        tickets,
      });
    },
    failed: (error) => {
      const isExpected = error instanceof AppError;
      const { message } = error instanceof Error ? error : { message: String(error) };
      return end(redact && !isExpected ? 'an internal error' : message, isExpected ? error.exitCode : 1, {});
    },
  };
}
