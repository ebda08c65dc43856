/** Tickets with the new addresses of their files; and those rejected for missing files. */
import { type MissingFile, resultIn, rewriteTicket, withMessages } from '../attachments/files-of-ticket.ts';
import { type Checker, createChecker } from '../check/check-ticket.ts';
import type { CheckRules } from '../check/fields.ts';
import type { CheckpointMeta } from '../checkpoint/meta.ts';
import { AppError } from '../domain/errors.ts';
import { isRunTag, sha256 } from '../domain/identity.ts';
import type * as ledgers from '../domain/ledger.ts';
import type { RunEvent } from '../domain/ports.ts';
import type { Problem } from '../domain/problem.ts';
import type { CheckedTicket, CheckResult } from '../domain/ticket.ts';
import { type Step, stepOfLinks } from '../plan/step.ts';
import type { Options } from './options.ts';

type KeepOptions = Pick<Options, 'attachments' | 'links' | 'isDelta'>;

export interface Known extends LinkSource {
  readonly files: ledgers.FileLedger;
}

export type KeptFiles = ReturnType<typeof keptFiles>;

/** `platform`: of the export, if links between tickets are rewritten. */
export function keptFiles({ attachments, links: actions, isDelta }: KeepOptions, platform = '') {
  const { base, missing: policy } = attachments;
  const links = ticketLinks(actions, platform);
  const hopes = isDelta && attachments.to !== undefined;
  let ledger: ledgers.FileLedger | undefined;
  let [origin, judges] = ['', false];
  let store: string | undefined;

  function withFiles(result: CheckResult, fileName: (ref: CheckedTicket['ref']) => string): CheckResult {
    const { checked } = result;
    if (ledger === undefined || checked === undefined) return result;
    const resultOf = resultIn(ledger, store, origin);
    const isNoted = judges && policy === 'note';
    const { ticket, missing } = rewriteTicket(checked, { base }, resultOf, isNoted, judges || !hopes);
    if (!judges || missing.length === 0) return { ...result, checked: ticket };
    const problems = missing.map((one) => missingProblem(one, checked, fileName(checked.ref), policy));
    const all = { ...result, problems: [...result.problems, ...problems] };
    return policy === 'reject'
      ? { ...all, checked: undefined, withheld: checked }
      : { ...all, checked: ticket };
  }

  return {
    links,
    /** `at`: origin of the helpdesk, for addresses of the local service. */
    async bind(known: Known | undefined, at: string | undefined, into?: string): Promise<void> {
      const files = known?.files;
      await links.bind(known);
      ledger = files?.isEmpty() === false ? files : undefined;
      store = into;
      origin = at ?? 'http://127.0.0.1';
    },
    judge(): void {
      judges = true;
    },
    view:
      (fileName: (ref: CheckedTicket['ref']) => string) =>
      (found: CheckResult): CheckResult => {
        const result = withFiles(found, fileName);
        return result.checked === undefined ? result : { ...result, checked: links.seen(result.checked) };
      },
  };
}

export async function keptChecker(
  options: KeepOptions,
  rules: CheckRules,
  known: Known | undefined,
  origin: string | undefined,
): Promise<{ readonly check: Checker; readonly view: (result: CheckResult) => CheckResult }> {
  const files = keptFiles(options);
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

interface LinkSource extends Pick<ledgers.Ledger, 'get'> {
  readonly links: ledgers.Notebook<ledgers.LinkRecord>;
  readonly meta: Pick<CheckpointMeta, 'links'>;
}

export type TicketLinks = ReturnType<typeof ticketLinks>;

type StepOf = (record: ledgers.TicketRecord | undefined, checked: CheckedTicket | undefined) => Step;

function ticketLinks({ action, source: old, target }: Options['links'], platform: string) {
  const places = target === undefined ? undefined : { source: old, target, platform };
  let source: LinkSource | undefined;
  let rewrite: ((ticket: CheckedTicket) => CheckedTicket) | undefined;
  const isWanted = (checked: CheckedTicket): boolean => {
    const known = source?.links.get(checked.externalId);
    const digest = digestOf(checked);
    return known === undefined ? digest !== '' : known.state !== 'on' || known.digest !== digest;
  };
  const stepOf: StepOf = (record, checked) =>
    stepOfLinks(record, checked, checked !== undefined && isWanted(checked));
  const note = (externalId: string, record: ledgers.LinkRecord | undefined): Promise<void> => {
    if (source === undefined) throw new AppError('internal', 'There is no checkpoint of links.');
    return source.links.set(externalId, record);
  };

  async function bind(known: LinkSource | undefined): Promise<void> {
    source = known;
    rewrite = undefined;
    if (known === undefined) return;
    const isAll = action !== undefined;
    if (!isAll && known.links.isEmpty()) return;
    const between = isAll ? places : known.meta.links;
    if (between === undefined) return;
    const { rewriteLinks, ticketReader } = await import('../links/rewrite-links.ts');
    const rules = {
      idIn: ticketReader(between),
      target: between.target,
      ticketOf: (id: string) => ticketIn(known.get(id)),
    };
    rewrite = (ticket) => {
      if (!isAll && (known.links.get(ticket.externalId)?.state ?? 'undoing') === 'undoing') return ticket;
      const { messages, links } = rewriteLinks(ticket.messages, rules);
      return links.length === 0 ? ticket : withMessages(ticket, messages, { links });
    };
  }

  return {
    ...{ action, places, bind },
    stepOf: action === undefined ? undefined : stepOf,
    /** As it is in the helpdesk, or will be. Its fingerprints stay the export's. */
    seen: (ticket: CheckedTicket): CheckedTicket => rewrite?.(ticket) ?? ticket,
    async begin(checked: CheckedTicket): Promise<void> {
      const isUndone = (checked.links ?? []).length === 0;
      await note(checked.externalId, { state: isUndone ? 'undoing' : 'begun', digest: digestOf(checked) });
    },
    onEvent({ externalId, outcome, warnings = [] }: Extract<RunEvent, { type: 'ticket' }>): void {
      const known = source?.links.get(externalId);
      if (known === undefined || outcome !== 'done') return;
      if (warnings.some(({ code }) => code === 'delta-held')) return;
      const record = known.state === 'begun' ? ({ ...known, state: 'on' } as const) : undefined;
      void note(externalId, record).catch(() => undefined);
    },
    inWords(problem: ledgers.TicketProblem): ledgers.TicketProblem {
      if (problem.code !== 'delta-held') return problem;
      const { status } = problem;
      return {
        code: 'links-held',
        ...(status === undefined ? {} : { status }),
        message:
          'The helpdesk does not show the messages of this ticket whole, so nothing was rewritten in it; run the same command again, or change the links by hand.',
      };
    },
  };
}

function ticketIn(record: ledgers.TicketRecord | undefined): string | undefined {
  return record?.state === 'skipped' ? undefined : record?.ticketId;
}

function digestOf({ links = [] }: CheckedTicket): string {
  if (links.length === 0) return '';
  const text = links
    .map(({ message, written, newAddress }) => `${message} ${written} ${newAddress}`)
    .join('\n');
  return sha256(text).slice(0, 16);
}
