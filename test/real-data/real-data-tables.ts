/** The tables of docs/real-data.md, made from the rows that the tests prove. */
import { REAL_EXPORTS, type RealExport } from './exports.ts';

export function settledTable(): string {
  return markdownTable(
    [
      'export',
      'layout',
      'read',
      'good',
      'rejected',
      'left out',
      'messages',
      'events',
      'lines decided',
      'what the data lacks',
    ],
    REAL_EXPORTS.map((real) => [
      nameOf(real),
      real.layout === 'export' ? 'proposed' : real.layout,
      number(real.tickets.read),
      number(real.tickets.good),
      number(real.tickets.rejected),
      number(real.tickets.left),
      number(real.messages),
      number(real.events),
      decided(real),
      real.remarks,
    ]),
  );
}

export function aloneTable(): string {
  return markdownTable(
    ['export', 'read', 'rejected', 'why'],
    REAL_EXPORTS.map((real) =>
      real.alone === undefined
        ? [nameOf(real), '', '', 'its layout is not known: `init` proposes a mapping']
        : [nameOf(real), number(real.tickets.read), number(real.alone.rejected), errors(real.alone.errors)],
    ),
  );
}

function nameOf({ folder, source }: RealExport): string {
  return `${source} (\`${folder}\`)`;
}

function decided({ edits }: RealExport): string {
  if (edits.length === 0) return '';
  return `${edits.length}: ${edits.map(({ line }) => `\`${line}\``).join(', ')}`;
}

function errors(found: Readonly<Record<string, number>>): string {
  return Object.entries(found)
    .map(([code, count]) => `${number(count)} × \`${code}\``)
    .join(', ');
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
