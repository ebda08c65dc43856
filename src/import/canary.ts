/**
 * The canary (`--canary you@example.com`): before the first ticket of the export one is made for a person's own address, with words of
 * both sides, and the person says whether any mail came of it. What is sent to the target depends on it, so nothing of the export is
 * sent before the answer is recorded.
 *
 *   1. its tag         durable
 *   2. POST ticket     once; after an unknown outcome it is looked for by its tag first, when it cannot be under way any more
 *   3. its id          durable
 *   4. PUT messages
 *   5. `isWhole`       durable
 *   6. the answer      durable
 */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { CanaryRecord } from '../checkpoint/meta.ts';
import { AppError } from '../domain/errors.ts';
import { CANARY_TAG, hasTag } from '../domain/identity.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type OnWire, type TicketApi } from '../domain/ticket-api.ts';
import { createFailure, stepFailure } from '../push/failure-meaning.ts';
import type { Settings } from '../settings/settings.ts';
import type { ImportPorts } from './import-job.ts';

interface CanaryJob {
  readonly settings: Settings;
  readonly ports: ImportPorts;
  readonly checkpoint: Pick<Checkpoint, 'meta' | 'usedWith' | 'diedBefore'>;
  readonly api: TicketApi;
  readonly baseUrl: string;
  /** Who answers in it, where any agent is known. */
  readonly agentId: string | undefined;
}

const MINUTE = 60_000;

/** Resolves when the export may be sent. Throws AppError where it may not, and what a request threw that ended it. */
export async function settleCanary(job: CanaryJob): Promise<void> {
  const { settings, ports, checkpoint } = job;
  const { canary: address, canaryAnswer } = settings;
  const known = checkpoint.meta.canary;
  if (known === undefined && address === undefined) {
    if (canaryAnswer === undefined) return;
    throw new AppError(
      'usage',
      'There is no canary to answer for: no run with this checkpoint has made one.',
      {
        hint: 'Make one with --canary and your own address; it is asked for then.',
      },
    );
  }
  const isAgain = canaryAnswer === 'again' || known === undefined;
  if (!isAgain && known.answer === 'quiet' && canaryAnswer !== 'mailed') return;
  const made = await make(
    isAgain ? begun(address ?? (known as CanaryRecord).address, ports) : known,
    isAgain,
    job,
  );
  const isNew = known?.isWhole !== true || isAgain;
  const given = isNew ? undefined : (canaryAnswer as CanaryRecord['answer']);
  const answer = given ?? (await ports.askCanary?.({ ...made, baseUrl: job.baseUrl, isNew }));
  ports.soft.throwIfAborted();
  if (answer !== undefined)
    await checkpoint.usedWith({ canary: { ...made, answer, answeredAt: ports.clock.now() } });
  const stop = whyNot(made, answer ?? (isNew ? undefined : known?.answer));
  if (stop !== undefined) throw stop;
  ports.emit({ type: 'note', message: `No mail came to ${made.address} of the canary: recorded.` });
}

/** What keeps an import from being sent, told by what was answered. */
function whyNot({ address, ticketId }: CanaryRecord, answer: CanaryRecord['answer']): AppError | undefined {
  if (answer === 'quiet') return undefined;
  if (answer === 'mailed')
    return new AppError(
      'configuration',
      `The target writes to customers when tickets are imported: mail came to ${address} of the canary (ticket ${ticketId}).`,
      {
        hint: 'This run sent nothing from the export. Turn off what sends mail in the target (notifications, automatic replies, rules, surveys); then run the same command with --canary-answer again, which makes another canary. If that mail had another cause: --canary-answer quiet.',
      },
    );
  return new AppError(
    'usage',
    `The canary is in the target (ticket ${ticketId}), and nobody has said whether mail came to ${address}.`,
    {
      hint: 'This run sent nothing from the export. Look into that mailbox, its spam too, some minutes from now; then run the same command with --canary-answer quiet (no mail came) or --canary-answer mailed.',
    },
  );
}

function begun(address: string, { clock, random }: ImportPorts): CanaryRecord {
  const at = clock.now();
  const stamp = new Date(at).toISOString().slice(0, 19).replace(/[-:T]/g, '');
  return { address, at, tag: `${CANARY_TAG}-${stamp}-${Math.floor(random() * 36 ** 4).toString(36)}` };
}

async function make(record: CanaryRecord, isNew: boolean, job: CanaryJob): Promise<CanaryRecord> {
  const { checkpoint, ports, api, agentId } = job;
  const note = async (canary: CanaryRecord) => {
    await checkpoint.usedWith({ canary });
    return canary;
  };
  if (record.isWhole === true) return record;
  if (isNew) await note(record);
  ports.emit({
    type: 'note',
    message: `A canary is made for ${record.address}: an open ticket with replies from both sides, tagged ${record.tag}.`,
  });
  const ticketId =
    record.ticketId ?? (isNew ? undefined : await found(record, job)) ?? (await create(record, job));
  const there = await note({ ...record, ticketId });
  try {
    await api.replaceMessages(ticketId, messagesOf(record, agentId), ports.hard);
  } catch (error) {
    const { problem, stop } = stepFailure(error, ports.hard);
    throw stop ?? incomplete(error, problem.message);
  }
  if (agentId === undefined)
    ports.emit({
      type: 'note',
      message:
        'The canary has no reply of an agent, as no agent is known (agents, fallbackAgent): mail about such replies is not seen by it.',
    });
  return await note({ ...there, isWhole: true });
}

/** Not before a create of an earlier process can have had its effect. */
async function found(
  { tag, at }: CanaryRecord,
  { settings, ports, checkpoint, api }: CanaryJob,
): Promise<string | undefined> {
  const { timeout, doubtMargin } = settings.run;
  const look = async () => {
    try {
      const tickets = await api.findTickets({ tags: [tag] }, ports.soft);
      return tickets.find(({ tags }) => hasTag(tags, tag))?.id;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const { stop, problem } = stepFailure(error, ports.hard);
      throw stop ?? notKnown(tag, problem.message);
    }
  };
  const there = await look();
  if (there !== undefined) return there;
  const wait = Math.max(at, checkpoint.diedBefore()) + (timeout + doubtMargin) * 1000 - ports.clock.now();
  if (wait > 0) {
    ports.emit({
      type: 'note',
      message: `An earlier run may have made the canary: it is looked for once more in ${Math.ceil(wait / 1000)} seconds.`,
    });
    await ports.clock.sleep(wait, ports.soft);
  }
  return wait > 0 ? await look() : undefined;
}

async function create(
  { address, tag, at }: CanaryRecord,
  { settings, ports, checkpoint, api }: CanaryJob,
): Promise<string> {
  const { channelId, readOnly, managedBy } = settings.target;
  const ticket: TicketPayload = {
    subject: 'Canary of helpdesk-import: did any mail come of this ticket?',
    contact: { email: address },
    status: 'open',
    tags: [CANARY_TAG, tag],
    createdAt: new Date(at - 2 * MINUTE).toISOString(),
  };
  if (channelId !== undefined) ticket.channelId = channelId;
  if (readOnly !== undefined) ticket.readOnly = readOnly;
  if (managedBy !== undefined) ticket.managedBy = managedBy;
  const wire: OnWire = { mayHaveArrived: true };
  try {
    return (await api.createTicket(ticket, ports.hard, wire)).id;
  } catch (error) {
    const { outcome, problem, stop } = createFailure(error, ports.hard, wire.mayHaveArrived);
    if (outcome === 'unknown') throw stop ?? notKnown(tag, problem.message);
    // It is certain that there is none.
    await checkpoint.usedWith({ canary: undefined });
    throw stop ?? incomplete(error, problem.message);
  }
}

function messagesOf({ address, at }: CanaryRecord, agentId: string | undefined): MessagePayload[] {
  const customer: MessagePayload = {
    actorType: 'customer',
    contact: { email: address },
    content: `This ticket was made by helpdesk-import before an import, for ${address}. Mail that comes of it would come to every customer of the export. Close it when you have looked.`,
    contentType: 'text',
    occurredAt: new Date(at - 2 * MINUTE).toISOString(),
  };
  const agent: MessagePayload[] =
    agentId === undefined
      ? []
      : [
          {
            actorType: 'agent',
            agentId,
            content: 'This is a reply of an agent, as the import brings them. No mail should come of it.',
            contentType: 'text',
            occurredAt: new Date(at - MINUTE).toISOString(),
          },
        ];
  return [customer, ...agent];
}

function incomplete(error: unknown, why: string): unknown {
  if (!(error instanceof ApiFailure)) return error;
  return new AppError('configuration', `The canary could not be created: ${why}`, {
    hint: 'This run sent nothing from the export. Correct that, or leave out --canary; then run the same command again.',
    cause: error,
  });
}

function notKnown(tag: string, why: string): AppError {
  return new AppError('unreachable', `It is not known whether the canary was created: ${why}`, {
    hint: `This run sent nothing from the export. Run the same command again: it looks for the tag ${tag} first. --canary-answer again makes another one.`,
  });
}
