/** Tickets with the new addresses of their files, wherever tickets are looked at; and those that are rejected as files are missing. */
import { type MissingFile, resultIn, rewriteTicket } from '../../attachments/files-of-ticket.ts';
import { type Checker, createChecker } from '../../check/check-ticket.ts';
import type { CheckRules } from '../../check/rules.ts';
import { isRunTag } from '../../domain/identity.ts';
import type { FileLedger } from '../../domain/ledger.ts';
import type { Problem } from '../../domain/problem.ts';
import type { CheckedTicket, CheckResult } from '../../domain/ticket.ts';
import type { Settings } from '../../settings/settings.ts';
import { type LinkSource, TicketLinks } from '../links/ticket-links.ts';

/** What the checkpoint has of files and of links between tickets. */
export interface Known extends LinkSource {
  readonly files: FileLedger;
}

/** Until it is bound, tickets stay as they are. */
export class KeptFiles {
  readonly links: TicketLinks;
  readonly #settings: Settings['files'];
  readonly #base: string | undefined;
  readonly #hopes: boolean;
  #ledger: FileLedger | undefined;
  #store: string | undefined;
  #origin = '';
  #judges = false;

  constructor(settings: Settings) {
    this.#settings = settings.files;
    this.#base = settings.source.ticketUrl;
    this.#hopes = settings.delta && settings.files.to !== undefined;
    this.links = new TicketLinks(settings);
  }

  /** `origin`: of the target, from which addresses of the local service count. */
  async bind(known: Known | undefined, origin: string | undefined, store?: string): Promise<void> {
    const ledger = known?.files;
    await this.links.bind(known);
    this.#ledger = ledger?.isEmpty() === false ? ledger : undefined;
    this.#origin = origin ?? 'http://127.0.0.1';
    this.#store = store;
  }

  /** From here on this process fetches no more files. */
  judge(): void {
    this.#judges = true;
  }

  /** What checking found, with the new addresses of its files and links. */
  view(fileName: (ref: CheckedTicket['ref']) => string): (result: CheckResult) => CheckResult {
    return (found) => {
      const result = this.#withFiles(found, fileName);
      return result.checked === undefined ? result : { ...result, checked: this.links.seen(result.checked) };
    };
  }

  #withFiles(result: CheckResult, fileName: (ref: CheckedTicket['ref']) => string): CheckResult {
    const { checked } = result;
    if (this.#ledger === undefined || checked === undefined) return result;
    const { missing: policy } = this.#settings;
    const resultOf = resultIn(this.#ledger, this.#store, this.#origin);
    const { ticket, missing } = rewriteTicket(
      checked,
      { base: this.#base },
      resultOf,
      this.#judges && policy === 'note',
      // A delta that fetches files hopes for those that were missing.
      this.#judges || !this.#hopes,
    );
    if (!this.#judges || missing.length === 0) return { ...result, checked: ticket };
    const problems = missing.map((one) => missingProblem(one, checked, fileName(checked.ref), policy));
    const all = { ...result, problems: [...result.problems, ...problems] };
    return policy === 'reject'
      ? { ...all, checked: undefined, withheld: checked }
      : { ...all, checked: ticket };
  }
}

/** Checking, and the tickets as they were sent. */
export async function keptChecker(
  settings: Settings,
  rules: CheckRules,
  known: Known | undefined,
  origin: string | undefined,
): Promise<{ readonly check: Checker; readonly view: (result: CheckResult) => CheckResult }> {
  const files = new KeptFiles(settings);
  await files.bind(known, origin);
  files.judge();
  const view = files.view(rules.fileName);
  return { check: createChecker(rules), view: (result) => withoutRunTag(view(result)) };
}

/** Those of a plan carry the tag of its run; an earlier run may have created them with its own. */
function withoutRunTag(result: CheckResult): CheckResult {
  const { checked } = result;
  const { tags } = checked?.ticket ?? {};
  if (checked === undefined || tags?.some(isRunTag) !== true) return result;
  const ticket = { ...checked.ticket, tags: tags.filter((tag) => !isRunTag(tag)) };
  return { ...result, checked: { ...checked, ticket } };
}

export function missingProblem(
  { message, file, detail }: Pick<MissingFile, 'message' | 'file' | 'detail'>,
  { externalId, ref }: Pick<CheckedTicket, 'externalId' | 'ref'>,
  fileName: string,
  policy: Settings['files']['missing'],
): Problem {
  const kept = {
    keep: 'its old link stays',
    note: 'its old link stays, and the message says so',
    reject: 'the ticket is rejected',
  };
  return {
    severity: policy === 'reject' ? 'error' : 'warning',
    code: 'file-missing',
    ticket: externalId,
    file: fileName,
    line: ref.line,
    field: `messages[${message}].${file.field}`,
    message: `A file cannot be imported, and ${kept[policy]}: ${detail}`,
    count: 1,
  };
}
