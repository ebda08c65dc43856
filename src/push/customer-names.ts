/**
 * Names that people gave their customers stay: a ticket names its customer only if the helpdesk shows no name for the address. One
 * read answers for many tickets. Where contacts cannot be read, names are sent.
 */
import { normalizedEmail, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { problemIn } from './failure-meaning.ts';
import { NO_CALL } from './fields.ts';
import type { CarryDeps } from './run-control.ts';

const MOST_ASKED = 100;
const CURRENT_MS = 30_000;
/** Above this, all are asked again. */
const MOST_KNOWN = 50_000;

type NamesDeps = Pick<CarryDeps, 'api' | 'clock' | 'control' | 'emit' | 'names'>;

export class CustomerNames {
  readonly #deps: NamesDeps;
  readonly #upcoming = new Set<string>();
  /** Names in the helpdesk, each until a ticket uses it. */
  readonly #shown = new Map<string, { readonly name: string | undefined; readonly at: number }>();
  readonly #named = new Set<string>();
  #asking: Promise<void> | undefined;
  #areShown = true;
  #refusals = 0;
  #kept = 0;

  constructor(deps: NamesDeps) {
    this.#deps = deps;
  }

  /** Customers with another name in the helpdesk. */
  get kept(): number {
    return this.#kept;
  }

  /** A ticket of this customer will be created. */
  expect(email: string): void {
    if (this.#upcoming.size < MOST_KNOWN && !this.#named.has(email)) this.#upcoming.add(email);
  }

  /** The name has arrived, or the helpdesk has one. */
  settle(email: string): void {
    if (this.#named.size >= MOST_KNOWN) this.#named.clear();
    this.#named.add(email);
    this.#upcoming.delete(email);
  }

  /** Undefined: send none. Throws RunEnds. */
  async nameFor(email: string): Promise<string | undefined> {
    const { names, clock } = this.#deps;
    const name = names.nameOf(email);
    if (name === undefined || (this.#areShown && this.#named.has(email))) return undefined;
    let shown = this.#shown.get(email);
    if (shown !== undefined && clock.monotonic() - shown.at >= CURRENT_MS) shown = undefined;
    while (this.#areShown && shown === undefined) {
      this.#asking ??= this.#ask(email).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
      shown = this.#shown.get(email);
    }
    this.#shown.delete(email);
    if (shown?.name === undefined) return name;
    if (shown.name !== name) this.#kept += 1;
    this.settle(email);
    return undefined;
  }

  async #ask(email: string): Promise<void> {
    const { api, clock, control, emit } = this.#deps;
    const asked = [...new Set([email, ...this.#upcoming])].slice(0, MOST_ASKED);
    for (const each of asked) this.#upcoming.delete(each);
    const at = clock.monotonic();
    try {
      const found = await api.findContacts(asked, control.hard);
      for (const each of asked) this.#shown.set(each, { name: nameIn(found, each), at });
      const isWhole = found.length < MOST_ASKED || found.every((each) => asked.includes(emailOf(each)));
      if (isWhole) return;
      // The filter is ignored: a contact may be on a page that was not read.
      for (const each of asked) if (!found.some((one) => emailOf(one) === each)) this.#shown.delete(each);
    } catch (error) {
      const { status } = problemIn(error, control.hard);
      this.#refusals += 1;
      if (this.#refusals === 1 && !NO_CALL.has(status)) return;
    }
    this.#areShown = false;
    const message =
      'The helpdesk does not show its contacts, so names of customers that it has already may be replaced by those of the export.';
    emit({ type: 'note', message });
  }
}

const emailOf = (contact: Snapshot) => normalizedEmail(reportedString(contact, 'email') ?? '');

/** Contacts may share an address: any name counts. */
function nameIn(found: readonly Snapshot[], email: string): string | undefined {
  const names = found
    .filter((each) => emailOf(each) === email)
    .flatMap((each) => reportedString(each, 'name')?.trim() || []);
  return names[0];
}
