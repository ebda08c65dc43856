/** The team members that a sandbox is to know, from a file: CSV with a header, JSON or JSONL. */
import { isEmail } from '../../check/email.ts';
import { checkRegular, whyUnread } from '../../disk/small-file.ts';
import { AppError } from '../../domain/errors.ts';
import { BOUNDS } from '../../domain/limits.ts';
import type { ReadRecord, RecordSelector, SourceFile } from '../../domain/source-file.ts';
import type { AgentToSeed } from '../../sandbox/store/people.ts';
import { openExport } from '../../source/open-export.ts';

const FORM = 'The file needs email, and may have id and name: columns of a CSV, or keys of JSON objects.';

/** Throws AppError `usage` with every complaint at once, and `source` where the file cannot be read. */
export async function readAgents(path: string, signal: AbortSignal): Promise<AgentToSeed[]> {
  try {
    checkRegular(path, BOUNDS.team.most);
  } catch (error) {
    throw new AppError('usage', `The file of team members ${path} ${whyUnread(error)}.`, { hint: FORM });
  }
  await using opened = await openExport([path], { signal });
  const agents: AgentToSeed[] = [];
  const complaints: string[] = [];
  const owners = new Map<string, string>();
  for (const file of opened.files) {
    const records = file.records(selectorOf(file), signal);
    for await (const chunk of records) {
      for (const record of chunk) {
        const read = readAgent(record, file);
        const problem = typeof read === 'string' ? read : clash(read, owners);
        if (problem !== undefined) complaints.push(`${file.name}:${record.ref.line}: ${problem}`);
        else if (typeof read !== 'string') agents.push(read);
      }
    }
  }
  if (complaints.length > 0)
    throw new AppError('usage', 'The file of team members has mistakes.', {
      lines: complaints.slice(0, MOST_COMPLAINTS),
      hint: FORM,
    });
  return agents;
}

const MOST_COMPLAINTS = 20;

/** Where in a JSON file they stand: bare, or in an envelope such as `{"agents": [...]}`. */
function selectorOf({ outline }: SourceFile): RecordSelector | undefined {
  const named = outline.collections?.find(({ sample }) => sample.some((row) => Object.hasOwn(row, 'email')));
  const path = (named ?? outline.collections?.[0])?.path;
  return path === undefined ? undefined : { path };
}

function readAgent(record: ReadRecord, file: SourceFile): AgentToSeed | string {
  if (record.error !== undefined) return record.error;
  const value = (key: string) => {
    const at = file.outline.header?.findIndex((cell) => cell.trim().toLowerCase() === key) ?? -1;
    const found: unknown = record.object === undefined ? record.cells?.[at] : record.object[key];
    return typeof found === 'string' || typeof found === 'number' ? String(found).trim() : '';
  };
  const [email, id, name] = [value('email'), value('id'), value('name')];
  if (email === '') return 'a team member has no email.';
  if (!isEmail(email)) return `"${email.slice(0, 60)}" is not an e-mail address.`;
  return { email, ...(id === '' ? {} : { id }), ...(name === '' ? {} : { name }) };
}

/** An id belongs to one team member. */
function clash({ id, email }: AgentToSeed, owners: Map<string, string>): string | undefined {
  if (id === undefined) return undefined;
  const owner = owners.get(id);
  owners.set(id, email.toLowerCase());
  return owner === undefined || owner === email.toLowerCase()
    ? undefined
    : `the id ${id} is ${owner}'s already.`;
}
