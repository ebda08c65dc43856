/** Settings for an export that nobody can propose a mapping for: what was seen in it, and the lines that have to be filled in. */
import type { ColumnProfile } from '../column-profile.ts';
import type { TableProfile } from '../table-profile.ts';
import { type Comment, type ProposedSettings, TODO } from './proposal.ts';
import { recognitionOf } from './scopes.ts';

const MOST_TABLES = 8;
const MOST_COLUMNS = 40;
const LONGEST_EXAMPLE = 40;

export function skeletonSettings(
  tables: readonly TableProfile[],
  files: readonly string[],
): ProposedSettings {
  const byRows = [...tables].sort((a, b) => b.rows - a.rows);
  const [largest] = byRows;
  const comments: Comment[] = [
    {
      path: ['mapping', 'tables'],
      text: 'Which table holds the tickets, and by which column is a ticket known? What was seen in the export:',
    },
    ...byRows.slice(0, MOST_TABLES).map((table) => ({ path: ['mapping', 'tables'], text: seen(table) })),
  ];
  const mapping = {
    name: 'export',
    title: 'To be filled in',
    tables: {
      tickets: {
        role: 'root',
        key: TODO,
        ...(largest === undefined ? {} : { recognise: recognitionOf(largest, [], tables) }),
      },
    },
    ticket: { subject: TODO, status: TODO, createdAt: TODO, requester: { email: TODO } },
    messages: [{ content: TODO, occurredAt: TODO, author: { email: TODO } }],
  };
  return {
    settings: { source: { files: [...files] }, confirm: {}, mapping },
    comments,
    decisions: [],
    agents: [],
  };
}

function seen({ file, rows, columns }: TableProfile): string {
  const shown = columns.filter(({ filled }) => filled > 0).slice(0, MOST_COLUMNS);
  return `${file.replace(/^.*[\\/]/, '')}, ${rows} rows: ${shown.map(inWords).join('; ')}`;
}

function inWords({ name, type, examples }: ColumnProfile): string {
  const example = examples[0]?.replace(/\s+/g, ' ').slice(0, LONGEST_EXAMPLE);
  return example === undefined ? `${name} (${type})` : `${name} (${type}, ${example})`;
}
