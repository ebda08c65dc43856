/** What the helpdesk answers to one read. */

import { AppError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { countOf } from '../domain/printable.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { errorBody, isOtherForm, pageOf } from '../helpdesk/answers.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { type Answer, headerOf, type Reply } from '../helpdesk/http.ts';
import { channelsOf } from '../import/target.ts';
import { formatDuration, idsAndNames } from '../view/format.ts';

export interface DoctorCheck {
  readonly name: string;
  /** `failed`: an import would stop here. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly hint?: string | undefined;
  readonly lines?: readonly string[] | undefined;
  readonly exitCode?: FailureCode | undefined;
}

export type FailureCode = 2 | 5 | 6;

export function fine(name: string, message: string): DoctorCheck {
  return { name, status: 'ok', message };
}

export function warning(name: string, message: string, hint: string, lines?: readonly string[]): DoctorCheck {
  return { name, status: 'warning', message, hint, lines };
}

export function failed(
  name: string,
  exitCode: FailureCode,
  message: string,
  hint?: string,
  lines?: readonly string[],
): DoctorCheck {
  return { name, status: 'failed', message, hint, lines, exitCode };
}

interface TargetLook {
  readonly baseUrl: string;
  readonly apiPath: string;
  readonly channelId?: string | undefined;
  readonly agentIds?: readonly string[];
}

interface Ports {
  readonly clock: Clock;
  readonly soft: AbortSignal;
}

/** Never changes the helpdesk. */
export async function checkTarget(api: CoreApi, target: TargetLook, ports: Ports): Promise<DoctorCheck[]> {
  const { clock, soft: signal } = ports;
  const sentAt = clock.now();
  let reply: Reply;
  try {
    reply = await api.probe(signal);
  } catch (error) {
    signal.throwIfAborted();
    return [withoutToken(error)];
  }
  if (reply.type === 'breakdown') {
    const message = `${target.baseUrl} cannot be reached: ${reply.message}.`;
    return [failed('target', 6, message, 'Check the base URL, the network and HTTPS_PROXY.')];
  }
  const checks = judgeAnswer(reply, target, { sentAt, answeredAt: clock.now() });
  if (reply.status !== 200) return checks;
  const [first] = pageOf(reply, 'tickets', true)?.items ?? [];
  if (first !== undefined) checks.push(await checkReading(api, first.id, signal));
  checks.push(...(await checkChannels(api, target, ports)), ...(await checkAgents(api, target, signal)));
  return checks;
}

function withoutToken(error: unknown): DoctorCheck {
  if (error instanceof ApiFailure)
    return error.code === 'auth'
      ? failed('token', 5, error.message, 'Check the client id, the client secret and the refresh token.')
      : failed('token', 6, error.message, 'Check HELPDESK_TOKEN_URL and the network.');
  if (!(error instanceof AppError)) throw error;
  const { exitCode } = error;
  return failed('token', exitCode === 5 || exitCode === 6 ? exitCode : 2, error.message, error.hint);
}

async function checkChannels(
  api: CoreApi,
  { channelId }: TargetLook,
  { soft }: Ports,
): Promise<DoctorCheck[]> {
  const channels = await channelsOf(api, soft);
  if (channels.length === 0) return [];
  const named = idsAndNames(channels, channels.length);
  if (channelId === undefined)
    return [fine('channel', `No channel is set. Choose one with target.channelId: ${named}.`)];
  if (channels.some(({ id }) => id === channelId))
    return [fine('channel', `Tickets go to the channel ${channelId}, of: ${named}.`)];
  const message = `target.channelId is ${channelId}, which the helpdesk does not have.`;
  return [failed('channel', 2, message, `It has: ${named}.`)];
}

const MOST_AGENTS = 20;

async function checkAgents(
  api: CoreApi,
  { agentIds = [] }: TargetLook,
  signal: AbortSignal,
): Promise<DoctorCheck[]> {
  let agents: readonly Snapshot[] = [];
  try {
    agents = (await api.agents(signal)) ?? [];
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
  }
  if (agents.length === 0) return [];
  const known = new Set(agents.map(({ id }) => id));
  const unknown = [...new Set(agentIds)].filter((id) => !known.has(id)).map((id) => ({ id }));
  const named = idsAndNames(agents.slice(0, MOST_AGENTS), agents.length);
  if (unknown.length === 0)
    return [fine('agents', `The helpdesk has ${countOf(agents.length, 'agent')}: ${named}.`)];
  const ids = idsAndNames(unknown.slice(0, MOST_AGENTS), unknown.length);
  return [
    warning(
      'agents',
      `The helpdesk does not list ${countOf(unknown.length, 'agent ID')} of the settings: ${ids}.`,
      `Correct agents and fallbackAgent. The helpdesk has: ${named}.`,
    ),
  ];
}

async function checkReading(api: CoreApi, ticketId: string, signal: AbortSignal): Promise<DoctorCheck> {
  try {
    await api.readTicket(ticketId, signal);
    await api.readMessages(ticketId, signal);
    return fine('reading', 'A ticket and its messages can be read back, so verify works.');
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
    const message = `A single ticket cannot be read back: ${error.message}`;
    return warning('reading', message, 'Verify does not work here.');
  }
}

type Verdict = readonly [name: string, is: 'ok' | 'warning' | FailureCode, message: string, hint?: string];

const MAY_WRITE = 'only a write shows whether it may write: try run --trial.';
const CHECK_ADDRESS = 'Check the base URL: does the API have another path?';
const NO_LIST = `${CHECK_ADDRESS} If they are right, this service cannot be read: an import works, and doubts are held for you.`;
const NO_SCOPE = 'Give it the scope read:tickets. Without it an import works, and doubts are held for you.';
const OTHER_TOKEN = 'Get a new one, and check that it belongs to this target.';
const FINAL_ADDRESS = 'Set the base URL to the final address: a token goes only where you send it.';
const LATER = 'Try again later; ask its operator if this continues.';

/** `{said}` is the status and sentence of the answer. */
const ANSWERS = {
  list: [
    ['token', 'ok', `The token is valid and may read (read:tickets); ${MAY_WRITE}`],
    ['reading', 'ok', 'Tickets can be listed, so tickets in doubt are settled automatically.'],
  ],
  otherForm: [
    ['token', 'ok', `The token is valid; ${MAY_WRITE}`],
    ['reading', 'warning', 'The list of tickets has an unknown form ({said}).', NO_LIST],
  ],
  noList: [['reading', 'warning', 'Tickets cannot be listed ({said}).', NO_LIST]],
  otherApi: [['target', 2, 'The address answers {said}, but not as a Core API does.', CHECK_ADDRESS]],
  refusal: [['target', 2, 'The helpdesk refuses to be read ({said}).', CHECK_ADDRESS]],
  redirect: [['target', 6, 'The address redirects elsewhere ({said}).', FINAL_ADDRESS]],
  trouble: [['target', 6, 'The helpdesk has a problem ({said}).', LATER]],
  401: [['token', 5, 'The token is refused ({said}).', OTHER_TOKEN]],
  403: [['token', 'warning', 'The token may not read ({said}), so verify does not work.', NO_SCOPE]],
  429: [
    [
      'limits',
      'warning',
      'The helpdesk asks to wait ({said}).',
      'Lower our share of its budget with --set run.rate=<n/seconds>.',
    ],
  ],
} as const satisfies Readonly<Record<string, readonly Verdict[]>>;

/** `times`: of this machine, milliseconds. Pure. */
export function judgeAnswer(
  answer: Answer,
  { baseUrl, apiPath }: TargetLook,
  times: { readonly sentAt: number; readonly answeredAt: number },
): DoctorCheck[] {
  const verdicts: readonly Verdict[] = ANSWERS[kindOf(answer)];
  const said = whatItSaid(answer, baseUrl);
  const checks = verdicts.map(([name, is, message, hint = '']): DoctorCheck => {
    const sentence = message.replace('{said}', () => said);
    if (is === 'ok') return fine(name, sentence);
    return is === 'warning' ? warning(name, sentence, hint) : failed(name, is, sentence, hint);
  });
  const isReached = !checks.some(({ name }) => name === 'target');
  return [
    ...(isReached ? [fine('target', `${baseUrl}${apiPath} answers.`)] : []),
    ...checks,
    judgeClock(answer, (times.sentAt + times.answeredAt) / 2),
  ];
}

function kindOf(answer: Answer): keyof typeof ANSWERS {
  const { status } = answer;
  if (status === 401 || status === 403 || status === 429) return status;
  if (status === 404 || status === 405) return 'noList';
  if (status >= 500) return 'trouble';
  if (status >= 400) return 'refusal';
  if (status >= 300) return 'redirect';
  if (pageOf(answer, 'tickets', true) !== undefined) return 'list';
  return isOtherForm(answer) ? 'otherForm' : 'otherApi';
}

function whatItSaid(answer: Answer, baseUrl: string): string {
  const { detail } = errorBody(answer, []);
  const origin = URL.parse(headerOf(answer, 'location') ?? '', baseUrl)?.origin;
  if (kindOf(answer) === 'redirect' && origin !== undefined) return `${answer.status} to ${origin}`;
  return detail === undefined ? String(answer.status) : `${answer.status}: ${detail}`;
}

/** The Date header counts whole seconds. */
const NOTABLE_SKEW_MS = 30_000;

function judgeClock(answer: Answer, ours: number): DoctorCheck {
  const theirs = Date.parse(headerOf(answer, 'date') ?? '');
  if (Number.isNaN(theirs)) return fine('clock', 'The helpdesk does not report its time.');
  // On average half a second after its last tick.
  const skew = theirs + 500 - ours;
  if (Math.abs(skew) < NOTABLE_SKEW_MS) return fine('clock', 'This clock and the helpdesk’s agree.');
  return warning(
    'clock',
    `This clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} the helpdesk’s.`,
    'Correct this clock: tokens may seem expired, and tickets created today may seem to be in the future.',
  );
}
