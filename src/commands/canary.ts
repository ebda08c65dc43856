/** `helpdesk-import canary you@example.com`: one ticket for your own address, to see whether the helpdesk mails customers. */
import { type CommandSpec, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, sending } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { print } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type OnWire, type TicketApi } from '../domain/ticket-api.ts';
import { connect, openTarget } from '../import/target.ts';
import { createFailure, stepFailure } from '../push/failure-meaning.ts';
import { parseAddress } from '../settings/parsers.ts';
import type { Settings } from '../settings/settings.ts';
import { heading, paragraph } from '../view/blocks.ts';

export const command: CommandSpec = {
  arguments: [['<address>', 'e-mail address of your own']],
  options: [shared('--config'), shared('--sandbox', { description: 'make it in the local service' })],
  examples: [['canary you@example.com', 'then look into your mailbox']],
  run: canaryCommand,
};

const TAG = 'import-canary';
const MINUTE = 60_000;

async function canaryCommand(
  [typed = '']: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const parsed = parseAddress(typed);
  if ('problem' in parsed) throw new AppError('usage', `The address ${parsed.problem}.`);
  const address = parsed.value;
  const { settings } = await loadSettings([], flags, ['target', 'credentials'], context);
  const { stderr, clock } = context;
  using stop = listenForStop(
    context,
    (message) => void stderr.write(`${message}\n`),
    sending('the ticket may be in the helpdesk'),
  );
  const target = await openTarget(settings, clock);
  const { api } = connect(target, settings, { ...portsOf(context, stop), emit: () => {} }, undefined);
  const { fallbackAgent } = settings.people;
  try {
    const ticketId = await create(address, clock.now(), settings, api, stop.hard);
    await fill(ticketId, messagesOf(address, clock.now(), fallbackAgent), api, stop.hard);
    print(
      [
        heading(`Ticket ${ticketId} is in ${target.baseUrl}, tagged ${TAG}.`, { level: 1, tone: 'good' }),
        paragraph(
          `Check the inbox and spam folder of ${address} now and again in a few minutes. Nothing should arrive: mail to you would be mail to every customer of the export.`,
        ),
        paragraph(
          'If mail came, turn off notifications, automatic replies and surveys before the import. Close the ticket when you have looked.',
        ),
        ...(fallbackAgent === undefined
          ? [paragraph('It has no reply of an agent: set `fallbackAgent` to test mail about replies too.')]
          : []),
      ],
      context,
    );
    return 0;
  } finally {
    await api.close();
    await target.sandbox?.close();
  }
}

async function create(
  address: string,
  now: number,
  { target: { channelId, readOnly, managedBy } }: Settings,
  api: TicketApi,
  signal: AbortSignal,
): Promise<string> {
  const ticket: TicketPayload = {
    subject: 'Canary of helpdesk-import: did any mail come of this ticket?',
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
    const { outcome, problem, stop } = createFailure(error, signal, wire.mayHaveArrived);
    if (stop !== undefined) throw stop;
    if (outcome === 'unknown')
      throw new AppError('unreachable', `The canary may have been created: ${problem.message}`, {
        hint: `Look for the tag ${TAG} in the helpdesk. Running the command again makes another ticket.`,
        cause: error,
      });
    throw refused(error, `The canary could not be created: ${problem.message}`);
  }
}

async function fill(ticketId: string, messages: MessagePayload[], api: TicketApi, signal: AbortSignal) {
  try {
    await api.replaceMessages(ticketId, messages, signal);
  } catch (error) {
    const { problem, stop } = stepFailure(error, signal);
    throw stop ?? refused(error, `Ticket ${ticketId} has no messages: ${problem.message}`);
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
