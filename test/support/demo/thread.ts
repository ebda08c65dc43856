/**
 * The language in which the conversations of the demo export are written: a thread is a true-to-life exchange with slots
 * in braces, which differ from ticket to ticket. The company is made up: Juniper & Tide sells coffee gear and coffee by
 * subscription, makes the brewing app Tide, and supplies cafés through a wholesale API.
 */
import type { ContentType, TicketPriority, TicketStatus } from '../../../src/domain/payload.ts';

export type Locale = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'ja' | 'ar';
export type Team = 'shop' | 'app' | 'wholesale';

/** How long after the message before: `minutes` 3 to 40, `hours` 1 to 7, `day` 16 to 30 hours, `days` 2 to 4, `week` 5 to 9. */
export type Wait = 'start' | 'minutes' | 'hours' | 'day' | 'days' | 'week';

export interface StepOptions {
  readonly as?: ContentType;
  /** File names; addresses are made from them. */
  readonly files?: readonly string[];
  /** The status that the ticket has from here on. */
  readonly status?: TicketStatus;
}

export interface Step extends StepOptions {
  /** `colleague`: a second person on the customer's side. `expert`: another agent, named in the text. `note`: internal,
   * by the agent, or by the expert who signs it with a dash. */
  readonly by: 'customer' | 'colleague' | 'agent' | 'expert' | 'note' | 'system';
  readonly after: Wait;
  /** Versions of the story: a ticket takes the same one, counted round, in all of its steps. */
  readonly texts: readonly string[];
}

export interface Thread {
  readonly name: string;
  readonly locale: Locale;
  readonly team: Team;
  readonly tags: readonly string[];
  readonly priorities: readonly TicketPriority[];
  /** As many as there are openings: then each belongs to one of them. Else any fits any. */
  readonly subjects: readonly string[];
  readonly steps: readonly Step[];
  /** What `{product}` may be; anything that the shop sells where it is left out. */
  readonly products?: readonly string[];
  /** How many tickets are made from it. */
  readonly times: number;
}

const step =
  (by: Step['by']) =>
  (after: Wait, texts: string | readonly string[], options: StepOptions = {}): Step => ({
    by,
    after,
    texts: typeof texts === 'string' ? [texts] : texts,
    ...options,
  });

export const customer = step('customer');
export const colleague = step('colleague');
export const agent = step('agent');
export const expert = step('expert');
export const note = step('note');
export const system = step('system');
