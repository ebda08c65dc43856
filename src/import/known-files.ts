/** Tickets with the new addresses of their files; and those rejected for missing files. */
import { type Lack, type MissingFile, resultIn, rewriteTicket } from '../attachments/files-of-ticket.ts';
import type { FileLedger } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CheckedTicket, CheckResult } from '../domain/ticket.ts';
import type { Settings } from '../settings/settings.ts';

/** Adds the known addresses. `fileName`: the ticket's. */
export type FilesView = (result: CheckResult, fileName: string) => CheckResult;

interface KnownFiles {
  readonly files: FileLedger;
  /** The helpdesk's, for addresses of the local service. */
  readonly origin: string | undefined;
  readonly store?: string | undefined;
  /** All files were asked for, so one without an address is missing. */
  readonly isJudged: boolean;
}

type FileSettings = Pick<Settings, 'source' | 'files' | 'delta'>;

export function filesView(
  { source: { ticketUrl: base }, files: { missing: policy, to }, delta }: FileSettings,
  known: KnownFiles | undefined,
): FilesView {
  if (known === undefined || known.files.isEmpty()) return (result) => result;
  const { files, origin = 'http://127.0.0.1', store, isJudged } = known;
  const mayFollow = delta && to !== undefined;
  const resultOf = resultIn(files, store, origin);
  return (result, fileName) => {
    const { checked } = result;
    if (checked === undefined) return result;
    const isNoted = isJudged && policy === 'note';
    const { ticket, missing } = rewriteTicket(checked, { base }, resultOf, isNoted, isJudged || !mayFollow);
    if (!isJudged || missing.length === 0) return { ...result, checked: ticket };
    const problems = missing.map((one) => missingProblem(one, checked, fileName, policy));
    const all = { ...result, problems: [...result.problems, ...problems] };
    return policy === 'reject'
      ? { ...all, checked: undefined, withheld: checked }
      : { ...all, checked: ticket };
  };
}

/** As the tickets of a checkpoint were sent. */
export function sentView(
  settings: FileSettings,
  known: Pick<KnownFiles, 'files' | 'origin'> | undefined,
): FilesView {
  return filesView(settings, known && { ...known, isJudged: true });
}

export function missingProblem(
  { message, file, detail, storedAt }: Pick<MissingFile, 'message' | 'file' | 'detail'> & Partial<Lack>,
  { externalId, ref }: Pick<CheckedTicket, 'externalId' | 'ref'>,
  fileName: string,
  policy: Settings['files']['missing'],
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
