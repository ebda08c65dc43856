/** Tickets with the new addresses of their files; and those rejected for missing files. */

import { type Lack, type MissingFile, resultIn, rewriteTicket } from '../attachments/files-of-ticket.ts';
import { type Checker, createChecker } from '../check/check-ticket.ts';
import type { CheckRules } from '../check/fields.ts';
import { isRunTag } from '../domain/identity.ts';
import type * as ledgers from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CheckedTicket, CheckResult } from '../domain/ticket.ts';
import type { Options } from './options.ts';

type KeepOptions = Pick<Options, 'attachments' | 'isDelta'>;

export interface Known {
  readonly files: ledgers.FileLedger;
}

export type KeptFiles = ReturnType<typeof keptFiles>;

export function keptFiles({ attachments, isDelta }: KeepOptions) {
  const { base, missing: policy } = attachments;
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
    /** `at`: origin of the helpdesk, for addresses of the local service. */
    bind(known: Known | undefined, at: string | undefined, into?: string): void {
      const files = known?.files;
      ledger = files?.isEmpty() === false ? files : undefined;
      store = into;
      origin = at ?? 'http://127.0.0.1';
    },
    judge(): void {
      judges = true;
    },
    view:
      (fileName: (ref: CheckedTicket['ref']) => string) =>
      (found: CheckResult): CheckResult =>
        withFiles(found, fileName),
  };
}

export function keptChecker(
  options: KeepOptions,
  rules: CheckRules,
  known: Known | undefined,
  origin: string | undefined,
): { readonly check: Checker; readonly view: (result: CheckResult) => CheckResult } {
  const files = keptFiles(options);
  files.bind(known, origin);
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
  { message, file, detail, storedAt }: Pick<MissingFile, 'message' | 'file' | 'detail'> & Partial<Lack>,
  { externalId, ref }: Pick<CheckedTicket, 'externalId' | 'ref'>,
  fileName: string,
  policy: Options['attachments']['missing'],
): Problem {
  return problemOf(
    `file-missing:${storedAt === undefined ? policy : 'stored'}`,
    { why: detail, link: storedAt ?? '' },
    {
      severity: policy === 'reject' && storedAt === undefined ? 'error' : 'warning',
      ticket: externalId,
      file: fileName,
      line: ref.line,
      field: `messages[${message}].${file.field}`,
    },
  );
}
