/** One ticket for the reader's own address: does the helpdesk mail customers? */
import { type CliContext, type Flags, listenForStop, portsOf, sending } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer, sayLine } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type OnWire, type TicketApi } from '../domain/ticket-api.ts';
import { connect, openTarget } from '../import/target.ts';
import { createFailure, failureOf } from '../push/failure-meaning.ts';
import { parseAddress } from '../settings/parsers.ts';
import type { Settings } from '../settings/settings.ts';
import { heading, paragraph } from '../view/blocks.ts';

const TAG = 'import-mail-test';
const MINUTE = 60_000;

/** Undefined without the option. */
export function addressOfMail(typed: unknown): string | undefined {
  if (typeof typed !== 'string') return undefined;
  const parsed = parseAddress(typed);
  if ('problem' in parsed) throw new AppError('usage', `The address ${parsed.problem}.`);
  return parsed.value;
}

export async function sendMailTest(address: string, flags: Flags, context: CliContext): Promise<number> {
  const { settings } = await loadSettings([], flags, ['target', 'credentials'], context);
  const { clock } = context;
  using stop = listenForStop(
    context,
    (message) => sayLine(message, context),
    sending('the ticket may be in the helpdesk'),
  );
  await using target = await openTarget(settings);
  await using api = connect(target, settings.run, { ...portsOf(context, stop), emit: () => {} });
  const { fallbackAgent } = settings.people;
  const ticketId = await create(address, clock.now(), settings.target, api, stop.hard);
  await fill(ticketId, messagesOf(address, clock.now(), fallbackAgent), api, stop.hard);
  answer(context, flags, { version: 1, ticketId, target: target.baseUrl, tag: TAG }, [
    heading(`Ticket ${ticketId} is in ${target.baseUrl}, tagged ${TAG}.`, { level: 1, tone: 'good' }),
    paragraph(
      `Check the inbox and spam folder of ${address} now and again in a few minutes. Nothing should arrive: mail to you would be mail to every customer of the export.`,
    ),
    paragraph(
      'If mail came, turn off notifications, automatic replies and surveys before the import. Close the ticket when you have looked.',
    ),
    ...(fallbackAgent === undefined
      ? [paragraph('To test e-mail about replies too, set `fallbackAgent`.')]
      : []),
  ]);
  return 0;
}

async function create(
  address: string,
  now: number,
  { channelId, readOnly, managedBy }: Settings['target'],
  api: TicketApi,
  signal: AbortSignal,
): Promise<string> {
  const ticket: TicketPayload = {
    subject: 'Mail test of helpdesk-import: did this ticket send any mail?',
    contact: { email: address },
    status: 'open',
    tags: [TAG],
    createdAt: new Date(now - 2 * MINUTE).toISOString(),
  };
  if (channelId !== undefined) ticket.channelId = channelId;
  if (readOnly !== undefined) ticket.readOnly = readOnly;
  if (managedBy !== undefined) ticket.managedBy = managedBy;
  const wire: OnWire = { mayHaveArrived: true };
  try {
    return (await api.createTicket(ticket, signal, wire)).id;
  } catch (error) {
    const { outcome, problem, ends } = createFailure(error, signal, wire.mayHaveArrived);
    if (ends?.reason !== undefined) throw ends.reason;
    if (outcome === 'unknown')
      throw new AppError('unreachable', `The ticket may have been created: ${problem.message}`, {
        hint: `Look for the tag ${TAG} in the helpdesk. Running the command again makes another ticket.`,
        cause: error,
      });
    throw refused(error, `The ticket could not be created: ${problem.message}`);
  }
}

async function fill(ticketId: string, messages: MessagePayload[], api: TicketApi, signal: AbortSignal) {
  try {
    await api.replaceMessages(ticketId, messages, signal);
  } catch (error) {
    const { problem, ends } = failureOf(error, signal);
    throw ends?.reason ?? refused(error, `Ticket ${ticketId} has no messages: ${problem.message}`);
  }
}

function messagesOf(address: string, now: number, agentId: string | undefined): MessagePayload[] {
  const customer: MessagePayload = {
    actorType: 'customer',
    contact: { email: address },
    content: `This ticket was made by helpdesk-import before an import, for ${address}. Mail that comes of it would come to every customer of the export. Close it when you have looked.`,
    contentType: 'text',
    occurredAt: new Date(now - 2 * MINUTE).toISOString(),
  };
  if (agentId === undefined) return [customer];
  const agent: MessagePayload = {
    actorType: 'agent',
    agentId,
    content: 'This is a reply of an agent, as the import brings them. No mail should come of it.',
    contentType: 'text',
    occurredAt: new Date(now - MINUTE).toISOString(),
  };
  return [customer, agent];
}

function refused(error: unknown, message: string): unknown {
  return error instanceof ApiFailure ? new AppError('configuration', message, { cause: error }) : error;
}
