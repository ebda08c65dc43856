/** `--verbose`: every request, retry, wait and problem as a line. Nothing of it holds a body, a header or a token. */
import type { Clock } from '../../domain/clock.ts';
import { printable } from '../../domain/printable.ts';
import type { Emit, RunEvent } from '../../domain/run-events.ts';
import { formatDuration, formatElapsed } from './format.ts';
import type { Style } from './style.ts';

export function createVerboseLog(
  print: (lines: readonly string[]) => void,
  clock: Clock,
  style: Style,
  noun = 'ticket',
): Emit {
  const started = clock.monotonic();
  return (event) => {
    const text = describe(event, clock, noun);
    if (text === undefined) return;
    const time = `[${formatElapsed(clock.monotonic() - started)}]`;
    print([`${style.dim(time)} ${printable(text)}`]);
  };
}

function describe(event: RunEvent, clock: Clock, noun: string): string | undefined {
  switch (event.type) {
    case 'request': {
      const again = event.attempt > 1 ? `, attempt ${event.attempt}` : '';
      return `${event.method} ${event.path}: ${event.status ?? 'no answer'} in ${formatDuration(event.milliseconds)}${again}`;
    }
    case 'retry':
      return `again in ${formatDuration(event.waitMs)} (attempt ${event.attempt}): ${event.reason}`;
    case 'rate-limited':
      return `the target is rate limiting: waits ${formatDuration(event.waitMs)}`;
    case 'waiting': {
      const left = event.untilMs - clock.now();
      return event.reason === 'rate-budget' ? undefined : `waits ${formatDuration(left)}: ${event.reason}`;
    }
    case 'ticket':
      return `${noun} ${event.externalId}: ${event.outcome}${event.ticketId === undefined ? '' : ` (${event.ticketId})`}`;
    case 'problem': {
      const { severity, code, file, line, ticket, message } = event.problem;
      const place = [file === undefined ? undefined : `${file}:${line ?? '?'}`, ticket && `ticket ${ticket}`];
      return `${severity} ${code} ${place.filter((part) => part !== undefined).join(', ')}: ${message}`;
    }
    default:
      return undefined;
  }
}
