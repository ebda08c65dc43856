/** Tickets with the new addresses of their files; and those rejected for missing files. */
import { type MissingFile, resultIn, rewriteTicket } from '../attachments/files-of-ticket.ts';
import { type Checker, createChecker } from '../check/check-ticket.ts';
import type { CheckRules } from '../check/rules.ts';
import { isRunTag } from '../domain/identity.ts';
import type { FileLedger } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import type { CheckedTicket, CheckResult } from '../domain/ticket.ts';
import type { Options } from './options.ts';
import { type LinkSource, TicketLinks } from './ticket-links.ts';

type KeepOptions = Pick<Options, 'attachments' | 'links' | 'isDelta'>;

export interface Known extends LinkSource {
  readonly files: FileLedger;
}

export class KeptFiles {
  readonly links: TicketLinks;
  readonly #attachments: Options['attachments'];
  readonly #hopes: boolean;
  #ledger: FileLedger | undefined;
  #store: string | undefined;
  #origin = '';
  #judges = false;

  constructor({ attachments, links, isDelta }: KeepOptions) {
    this.#attachments = attachments;
    this.#hopes = isDelta && attachments.to !== undefined;
    this.links = new TicketLinks(links);
  }

  /** `origin`: of the helpdesk, for addresses of the local service. */
  async bind(known: Known | undefined, origin: string | undefined, store?: string): Promise<void> {
    const ledger = known?.files;
    await this.links.bind(known);
    this.#ledger = ledger?.isEmpty() === false ? ledger : undefined;
    this.#origin = origin ?? 'http://127.0.0.1';
    this.#store = store;
  }

  judge(): void {
    this.#judges = true;
  }

  view(fileName: (ref: CheckedTicket['ref']) => string): (result: CheckResult) => CheckResult {
    return (found) => {
      const result = this.#withFiles(found, fileName);
      return result.checked === undefined ? result : { ...result, checked: this.links.seen(result.checked) };
    };
  }

  #withFiles(result: CheckResult, fileName: (ref: CheckedTicket['ref']) => string): CheckResult {
    const { checked } = result;
    if (this.#ledger === undefined || checked === undefined) return result;
    const { base, missing: policy } = this.#attachments;
    const resultOf = resultIn(this.#ledger, this.#store, this.#origin);
    const { ticket, missing } = rewriteTicket(
      checked,
      { base },
      resultOf,
      this.#judges && policy === 'note',
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

export async function keptChecker(
  options: KeepOptions,
  rules: CheckRules,
  known: Known | undefined,
  origin: string | undefined,
): Promise<{ readonly check: Checker; readonly view: (result: CheckResult) => CheckResult }> {
  const files = new KeptFiles(options);
  await files.bind(known, origin);
  files.judge();
  const view = files.view(rules.fileName);
  return { check: createChecker(rules), view: (result) => withoutRunTag(view(result)) };
}

/** A plan's tickets carry its run tag; an earlier run may have used its own. */
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
  policy: Options['attachments']['missing'],
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
