/** Rewritten links between tickets, noted before they are sent, so that a killed process comes to the same end. */
import type { CheckpointMeta } from '../checkpoint/meta.ts';
import { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/hash.ts';
import type { Ledger, LinkRecord, Notebook, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { RunEvent } from '../domain/run-events.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { type Step, stepOfLinks } from '../plan/step.ts';
import type { Options } from './options.ts';

export interface LinkSource extends Pick<Ledger, 'get'> {
  readonly links: Notebook<LinkRecord>;
  readonly meta: Pick<CheckpointMeta, 'links'>;
}

export class TicketLinks {
  readonly action: 'plan' | 'apply' | undefined;
  readonly #addresses: Pick<Options['links'], 'source' | 'target'>;
  #platform = '';
  #source: LinkSource | undefined;
  #rewrite: ((ticket: CheckedTicket) => CheckedTicket) | undefined;

  constructor({ action, ...addresses }: Options['links']) {
    this.action = action;
    this.#addresses = addresses;
  }

  setPlatform(platform: string): void {
    this.#platform = platform;
  }

  get places(): CheckpointMeta['links'] {
    const { source, target } = this.#addresses;
    return target === undefined ? undefined : { source, target, platform: this.#platform };
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
      import('../attachments/files-of-ticket.ts'),
      import('../links/link-forms.ts'),
      import('../links/rewrite-links.ts'),
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

  /** As it is in the helpdesk, or will be. Its fingerprints stay the export's. */
  seen(ticket: CheckedTicket): CheckedTicket {
    return this.#rewrite?.(ticket) ?? ticket;
  }

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

  async begin(checked: CheckedTicket): Promise<void> {
    const isUndone = (checked.links ?? []).length === 0;
    await this.#links.set(checked.externalId, {
      state: isUndone ? 'undoing' : 'begun',
      digest: digestOf(checked),
    });
  }

  onEvent({ externalId, outcome, warnings = [] }: Extract<RunEvent, { type: 'ticket' }>): void {
    const known = this.#source?.links.get(externalId);
    if (known === undefined || outcome !== 'done') return;
    if (warnings.some(({ code }) => code === 'delta-held')) return;
    const record = known.state === 'begun' ? ({ ...known, state: 'on' } as const) : undefined;
    void this.#links.set(externalId, record).catch(() => undefined);
  }

  inWords(problem: TicketProblem): TicketProblem {
    if (problem.code !== 'delta-held') return problem;
    const { status } = problem;
    return {
      code: 'links-held',
      ...(status === undefined ? {} : { status }),
      message:
        'The helpdesk does not show the messages of this ticket whole, so nothing was rewritten in it; run the same command again, or change the links by hand.',
    };
  }

  get #links(): Notebook<LinkRecord> {
    if (this.#source === undefined) throw new AppError('internal', 'There is no checkpoint of links.');
    return this.#source.links;
  }
}

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
