/** What the target says to one read: is it there, does it let us in, may it be read, what does it ask for. */

import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import { ApiFailure, type Snapshot } from '../../domain/ticket-api.ts';
import { channelsOf } from '../../import/target.ts';
import { errorBody, isOtherForm, pageOf } from '../../target/answers.ts';
import type { CoreApi } from '../../target/api.ts';
import { type Answer, headerOf, type Reply } from '../../target/http.ts';
import { countOf, formatDuration, idsAndNames } from '../../view/format.ts';
import { type DoctorCheck, failed, fine, warning } from './doctor-view.ts';

export interface TargetLook {
  readonly baseUrl: string;
  readonly apiPath: string;
  readonly channelId?: string | undefined;
  /** Those of the settings. */
  readonly agentIds?: readonly string[];
}

/** Sends one read, and where it shows a ticket two more; never anything that changes the target. */
export async function checkTarget(
  api: CoreApi,
  target: TargetLook,
  clock: Clock,
  signal: AbortSignal,
): Promise<DoctorCheck[]> {
  let reply: Reply;
  const sentAt = clock.now();
  try {
    reply = await api.probe(signal);
  } catch (error) {
    signal.throwIfAborted();
    return [withoutToken(error)];
  }
  if (reply.type === 'breakdown')
    return [
      failed(
        'target',
        6,
        `${target.baseUrl} cannot be reached: ${reply.message}.`,
        'Check the base URL, the network and HTTPS_PROXY.',
      ),
    ];
  const checks = judgeAnswer(reply, target, { sentAt, answeredAt: clock.now() });
  const first = reply.status === 200 ? pageOf(reply, 'tickets', true)?.items[0] : undefined;
  if (first !== undefined) checks.push(await checkReading(api, first.id, signal));
  if (reply.status === 200) {
    checks.push(...(await checkChannels(api, target, clock, signal)));
    checks.push(...(await checkAgents(api, target, signal)));
  }
  return checks;
}

/** The channels that tickets may be put into, where the target names them. */
async function checkChannels(
  api: CoreApi,
  { channelId }: TargetLook,
  clock: Clock,
  signal: AbortSignal,
): Promise<DoctorCheck[]> {
  const channels = await channelsOf(api, clock, signal);
  if (channels.length === 0) return [];
  const named = idsAndNames(channels, channels.length);
  if (channelId !== undefined && !channels.some(({ id }) => id === channelId))
    return [
      failed(
        'channel',
        2,
        `target.channelId is ${channelId}, which the target does not have.`,
        `It has: ${named}.`,
      ),
    ];
  return [
    fine(
      'channel',
      channelId === undefined
        ? `Tickets go where the target puts them; target.channelId chooses one of: ${named}.`
        : `Tickets go to the channel ${channelId}, of: ${named}.`,
    ),
  ];
}

/** Agents that are named. */
const MOST_AGENTS = 20;

/** The agents whose ids the settings may use, where the target lists them. */
async function checkAgents(
  api: CoreApi,
  { agentIds = [] }: TargetLook,
  signal: AbortSignal,
): Promise<DoctorCheck[]> {
  let agents: Snapshot[] | undefined;
  try {
    agents = await api.agents(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
  }
  if (agents === undefined || agents.length === 0) return [];
  const known = new Set(agents.map(({ id }) => id));
  const named = idsAndNames(agents.slice(0, MOST_AGENTS), agents.length);
  const unknown = [...new Set(agentIds)].filter((id) => !known.has(id));
  if (unknown.length === 0)
    return [fine('agents', `The target has ${countOf(agents.length, 'agent')}: ${named}.`)];
  return [
    warning(
      'agents',
      `The target does not list ${countOf(unknown.length, 'agent ID')} of the settings: ${idsAndNames(
        unknown.slice(0, MOST_AGENTS).map((id) => ({ id })),
        unknown.length,
      )}.`,
      `Correct agents and fallbackAgent. The target has: ${named}.`,
    ),
  ];
}

/** No access token was to be had: the token endpoint refused or could not be reached. */
function withoutToken(error: unknown): DoctorCheck {
  if (error instanceof ApiFailure) {
    const { code, message } = error;
    return code === 'auth'
      ? failed(
          'token',
          5,
          message,
          'Check HELPDESK_CLIENT_ID, HELPDESK_CLIENT_SECRET and HELPDESK_REFRESH_TOKEN.',
        )
      : failed('token', 6, message, 'Check HELPDESK_TOKEN_URL and the network.');
  }
  if (error instanceof AppError) {
    const { exitCode } = error;
    return failed('token', exitCode === 5 || exitCode === 6 ? exitCode : 2, error.message, error.hint);
  }
  throw error;
}

export interface LookTimes {
  /** By this machine's wall clock, milliseconds. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** All that one answer tells. Pure. */
export function judgeAnswer(answer: Answer, target: TargetLook, times: LookTimes): DoctorCheck[] {
  return [...judgeStatus(answer, target), ...judgeClock(answer, times)];
}

type Verdict = readonly [name: string, is: 'ok' | 'warning' | 2 | 5 | 6, message: string, hint?: string];

type AnswerKind = number | 'list' | 'other form' | 'other API' | '3xx' | '4xx' | '5xx';

const CHECK_ADDRESS = 'Check the base URL and target.apiPath.';
const NO_LIST =
  'If the address is right, this service offers no reading: an import works, and doubts are held for you. Else check the base URL and target.apiPath.';

/** What one answer to a list of tickets means; `{said}` is its status and sentence. A target that is read or refuses a token is reached. */
const ANSWERS: ReadonlyMap<AnswerKind, readonly Verdict[]> = new Map<AnswerKind, readonly Verdict[]>([
  [
    'list',
    [
      [
        'token',
        'ok',
        'The token is valid and may read (read:tickets); only a write shows whether it may write: try run --trial.',
      ],
      ['reading', 'ok', 'Tickets can be listed, so tickets in doubt are settled automatically.'],
    ],
  ],
  [
    'other form',
    [
      ['token', 'ok', 'The token is valid; only a write shows whether it may write: try run --trial.'],
      [
        'reading',
        'warning',
        'The list of tickets has an unknown form ({said}), so tickets cannot be read back.',
        NO_LIST,
      ],
    ],
  ],
  ['other API', [['target', 2, 'The address answers {said}, but not as a Core API does.', CHECK_ADDRESS]]],
  [
    '3xx',
    [
      [
        'target',
        6,
        'The address redirects elsewhere ({said}).',
        'Set the base URL to the final address: a token goes only where you send it.',
      ],
    ],
  ],
  [
    401,
    [
      [
        'token',
        5,
        'The token is refused ({said}).',
        'Get a new one, and check that it belongs to this target.',
      ],
    ],
  ],
  [
    403,
    [
      [
        'token',
        'warning',
        'The token may not read ({said}).',
        'Give it the scope read:tickets, if the service has it; without it an import works, and doubts are held for you.',
      ],
      [
        'reading',
        'warning',
        'Tickets cannot be read, so verify and looking up doubts do not work.',
        'See the token.',
      ],
    ],
  ],
  [404, [['reading', 'warning', 'Tickets cannot be listed ({said}).', NO_LIST]]],
  [405, [['reading', 'warning', 'Tickets cannot be listed ({said}).', NO_LIST]]],
  [
    429,
    [
      [
        'limits',
        'warning',
        'The target asks to wait ({said}).',
        'Another program uses its budget: lower it with --rate.',
      ],
    ],
  ],
  ['4xx', [['target', 2, 'The target refuses to be read ({said}).', CHECK_ADDRESS]]],
  [
    '5xx',
    [
      [
        'target',
        6,
        'The target has a problem ({said}).',
        'Try again later; ask its operator if this continues.',
      ],
    ],
  ],
]);

function judgeStatus(answer: Answer, { baseUrl, apiPath }: TargetLook): DoctorCheck[] {
  const { status } = answer;
  const location = headerOf(answer, 'location');
  const origin = location === undefined ? undefined : URL.parse(location, baseUrl)?.origin;
  const detail = errorBody(answer, []).detail;
  const said =
    kindOf(answer) === '3xx'
      ? `${status}${origin === undefined ? '' : ` to ${origin}`}`
      : detail === undefined
        ? String(status)
        : `${status}: ${detail}`;
  const verdicts = ANSWERS.get(status) ?? ANSWERS.get(kindOf(answer)) ?? [];
  const checks = verdicts.map(([name, is, message, hint = '']): DoctorCheck => {
    const sentence = message.replace('{said}', () => said);
    if (is === 'ok') return fine(name, sentence);
    return is === 'warning' ? warning(name, sentence, hint) : failed(name, is, sentence, hint);
  });
  const isReached = !checks.some(({ name }) => name === 'target');
  return isReached ? [fine('target', `${baseUrl}${apiPath} answers.`), ...checks] : checks;
}

function kindOf(answer: Answer): AnswerKind {
  const { status } = answer;
  if (status >= 500) return '5xx';
  if (status >= 400) return '4xx';
  if (status >= 300) return '3xx';
  if (isOtherForm(answer)) return 'other form';
  return pageOf(answer, 'tickets', true) === undefined ? 'other API' : 'list';
}

/** The Date header counts whole seconds; below this a difference means nothing. */
const NOTABLE_SKEW_MS = 30_000;

function judgeClock(answer: Answer, { sentAt, answeredAt }: LookTimes): DoctorCheck[] {
  const theirs = Date.parse(headerOf(answer, 'date') ?? '');
  if (Number.isNaN(theirs)) return [fine('clock', 'The target does not report its time.')];
  // Somewhere between sending and answering, and up to a second before its next tick.
  const skew = theirs + 500 - (sentAt + answeredAt) / 2;
  const apart = formatDuration(Math.abs(skew));
  if (Math.abs(skew) < NOTABLE_SKEW_MS) return [fine('clock', 'This clock and the target’s agree.')];
  return [
    warning(
      'clock',
      `This clock is ${apart} ${skew > 0 ? 'behind' : 'ahead of'} the target’s.`,
      'Correct this clock: tokens may seem expired, and tickets created today may seem to be in the future.',
    ),
  ];
}

/** What `verify` needs: a single ticket and its messages. */
async function checkReading(api: CoreApi, ticketId: string, signal: AbortSignal): Promise<DoctorCheck> {
  try {
    await api.readTicket(ticketId, signal);
    await api.readMessages(ticketId, signal);
    return fine('reading', 'A ticket and its messages can be read back, so verify works.');
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
    return warning(
      'reading',
      `A single ticket cannot be read back: ${error.message}`,
      'Verify does not work here.',
    );
  }
}
