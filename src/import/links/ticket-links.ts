/**
 * Links between tickets, in whatever looks at tickets: where they were rewritten in the target, a ticket is seen with its new ones, so
 * that a delta and `verify` find there what they expect. `links apply` sees all tickets so.
 *
 * What a ticket is about to become is noted before it is sent (`begun`, `undoing`), and again when the target has it: a process that
 * dies in between leaves a ticket that the next one brings to the same end.
 */
import type { CheckpointMeta } from '../../checkpoint/meta.ts';
import { AppError } from '../../domain/errors.ts';
import { sha256 } from '../../domain/hash.ts';
import type { Ledger, LinkRecord, Notebook, TicketProblem, TicketRecord } from '../../domain/ledger.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { CheckedTicket } from '../../domain/ticket.ts';
import { type Step, stepOfLinks } from '../../plan/step.ts';
import type { Settings } from '../../settings/settings.ts';

export interface LinkSource extends Pick<Ledger, 'get'> {
  readonly links: Notebook<LinkRecord>;
  readonly meta: Pick<CheckpointMeta, 'links'>;
}

export class TicketLinks {
  readonly action: 'plan' | 'apply' | undefined;
  readonly #settings: Pick<Settings, 'source' | 'target'>;
  /** Of the layout of the export. */
  #platform = '';
  #source: LinkSource | undefined;
  #rewrite: ((ticket: CheckedTicket) => CheckedTicket) | undefined;

  constructor(settings: Pick<Settings, 'source' | 'target' | 'links'>) {
    this.action = settings.links;
    this.#settings = settings;
  }

  setPlatform(platform: string): void {
    this.#platform = platform;
  }

  /** What is to be noted in the checkpoint before the first ticket is sent. */
  get places(): CheckpointMeta['links'] {
    const { source, target } = this.#settings;
    if (target.ticketUrl === undefined) return undefined;
    return {
      source: source.ticketUrl,
      target: target.ticketUrl,
      platform: this.#platform,
    };
  }

  async bind(source: LinkSource | undefined): Promise<void> {
    this.#source = source;
    this.#rewrite = undefined;
    if (source === undefined) return;
    const isAll = this.action !== undefined;
    if (!isAll && source.links.isEmpty()) return;
    const places = isAll ? this.places : source.meta.links;
    if (places === undefined) return;
    const [{ withMessages }, { ticketReader }, { rewriteLinks }] = await Promise.all([
      import('../../attachments/files-of-ticket.ts'),
      import('../../links/link-forms.ts'),
      import('../../links/rewrite-links.ts'),
    ]);
    const rules = {
      idIn: ticketReader(places),
      target: places.target,
      ticketOf: (id: string) => ticketIn(source.get(id)),
    };
    this.#rewrite = (ticket) => {
      if (!isAll && (source.links.get(ticket.externalId)?.state ?? 'undoing') === 'undoing') return ticket;
      const { messages, links } = rewriteLinks(ticket.messages, rules);
      return links.length === 0 ? ticket : withMessages(ticket, messages, { links });
    };
  }

  /** The ticket as it is in the target, or shall be. Its fingerprints stay those of the export. */
  seen(ticket: CheckedTicket): CheckedTicket {
    return this.#rewrite?.(ticket) ?? ticket;
  }

  /** Absent where links are not what the run is about. */
  get stepOf(): ((record: TicketRecord | undefined, checked: CheckedTicket | undefined) => Step) | undefined {
    if (this.action === undefined) return undefined;
    return (record, checked) =>
      stepOfLinks(record, checked, checked !== undefined && this.#isWanted(checked));
  }

  #isWanted(checked: CheckedTicket): boolean {
    const known = this.#source?.links.get(checked.externalId);
    const digest = digestOf(checked);
    return known === undefined ? digest !== '' : known.state !== 'on' || known.digest !== digest;
  }

  /** Before anything of the ticket is sent. */
  async begin(checked: CheckedTicket): Promise<void> {
    const isUndone = (checked.links ?? []).length === 0;
    await this.#links.set(checked.externalId, {
      state: isUndone ? 'undoing' : 'begun',
      digest: digestOf(checked),
    });
  }

  /** Flushed with whatever is recorded next; where it is not, the next run looks again. */
  onEvent({ externalId, outcome, warnings = [] }: Extract<RunEvent, { type: 'ticket' }>): void {
    const known = this.#source?.links.get(externalId);
    if (known === undefined || outcome !== 'done') return;
    // What was held stays as it was; it is tried again.
    if (warnings.some(({ code }) => code === 'delta-held')) return;
    const record = known.state === 'begun' ? ({ ...known, state: 'on' } as const) : undefined;
    void this.#links.set(externalId, record).catch(() => undefined);
  }

  /** What a delta says of a ticket, in words of links. */
  inWords(problem: TicketProblem): TicketProblem {
    if (problem.code !== 'delta-held') return problem;
    const { status } = problem;
    return {
      code: 'links-held',
      ...(status === undefined ? {} : { status }),
      message:
        'The target does not show the messages of this ticket whole, so nothing was rewritten in it; run the same command again, or change the links by hand.',
    };
  }

  get #links(): Notebook<LinkRecord> {
    if (this.#source === undefined) throw new AppError('internal', 'There is no checkpoint of links.');
    return this.#source.links;
  }
}

/** Tickets that are in the target. One that was created and whose outcome was never known has no id. */
function ticketIn(record: TicketRecord | undefined): string | undefined {
  return record?.state === 'skipped' ? undefined : record?.ticketId;
}

function digestOf({ links = [] }: CheckedTicket): string {
  if (links.length === 0) return '';
  const text = links
    .map(({ message, written, newAddress }) => `${message} ${written} ${newAddress}`)
    .join('\n');
  return sha256(text).slice(0, 16);
}
