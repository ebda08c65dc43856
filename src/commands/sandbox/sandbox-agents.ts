/** The team members of a sandbox, from a CSV file with a header. */
import { parse } from 'csv-parse/sync';
import { isEmail } from '../../check/email.ts';
import { readSmallFile, whyUnread } from '../../disk/small-file.ts';
import { AppError } from '../../domain/errors.ts';
import { BOUNDS } from '../../domain/limits.ts';
import type { AgentToSeed } from '../../sandbox/store/people.ts';

const HINT = 'It is a CSV file with the column email, and optionally id and name.';
const MOST_COMPLAINTS = 20;

/** Throws AppError `usage` with every complaint at once. */
export function readAgents(path: string): AgentToSeed[] {
  const rows = readRows(path);
  const owners = new Map<string, string>();
  const complaints: string[] = [];
  const agents = rows.map(({ record, info }): AgentToSeed => {
    const { email = '', id = '', name = '' } = record;
    const owner = owners.get(id);
    if (!isEmail(email))
      complaints.push(`${path}:${info.lines}: "${email.slice(0, 60)}" is not an e-mail address.`);
    else if (owner !== undefined && owner !== email.toLowerCase())
      complaints.push(`${path}:${info.lines}: the ID ${id} belongs to ${owner}.`);
    if (id !== '') owners.set(id, email.toLowerCase());
    return { email, ...(id === '' ? {} : { id }), ...(name === '' ? {} : { name }) };
  });
  if (complaints.length > 0)
    throw new AppError('usage', 'The file of team members has mistakes.', {
      lines: complaints.slice(0, MOST_COMPLAINTS),
      hint: HINT,
    });
  return agents;
}

interface Row {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function readRows(path: string): Row[] {
  try {
    return parse(readSmallFile(path, BOUNDS.team.most), {
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Row[];
  } catch (error) {
    const reason =
      error instanceof Error && 'record' in error ? `cannot be read: ${error.message}` : whyUnread(error);
    throw new AppError('usage', `The file of team members ${path} ${reason}.`, { hint: HINT });
  }
}
