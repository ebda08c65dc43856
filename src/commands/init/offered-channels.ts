/** The channels of the target, where the environment has its address and a token: tickets can be put into one of them. */
import type { CliContext } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import type { Question } from '../../discover/questions.ts';
import { AppError } from '../../domain/errors.ts';
import { printable, shorten } from '../../domain/printable.ts';
import { ApiFailure, type Snapshot } from '../../domain/ticket-api.ts';
import { addressOf, channelsOf, connect } from '../../import/target.ts';

const MOST = 20;
const NAME_WIDTH = 40;

/** Reads once, and never fails for the target: one that does not name its channels has none to offer. */
export async function offeredChannels(context: CliContext, signal: AbortSignal): Promise<Snapshot[]> {
  if ((context.env['HELPDESK_BASE_URL'] ?? '') === '') return [];
  using stop = listenForStop(context, () => undefined, READING);
  try {
    const { settings, folder } = await loadSettings([], {}, [], context);
    const ports = { ...portsOf(context, stop), emit: () => undefined, settingsFolder: folder };
    const { api } = connect(await addressOf(settings), settings, ports, undefined);
    try {
      return (await channelsOf(api, context.clock, signal)).slice(0, MOST);
    } finally {
      await api.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError || error instanceof ApiFailure) return [];
    throw error;
  }
}

/** `chn_email (E-mail)`. */
export function channelName({ id, name }: Snapshot): string {
  return typeof name === 'string' && name !== '' ? `${id} (${shorten(printable(name), NAME_WIDTH)})` : id;
}

export function channelQuestion(channels: readonly Snapshot[]): Question {
  return {
    key: 'target.channelId',
    path: ['target', 'channelId'],
    concept: 'channel',
    question: 'Which channel of the helpdesk should the tickets go into? Replies to them leave by it.',
    choices: [
      { value: null, label: 'the helpdesk chooses' },
      ...channels.map((channel) => ({ value: channel.id, label: channelName(channel) })),
    ],
    kind: 'choice',
    rank: 99,
  };
}
