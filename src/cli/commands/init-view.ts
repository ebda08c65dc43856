/** What `init` says: what it found, and what it wrote. */

import type { Needs } from '../../discover/propose/open-needs.ts';
import type { ProposedSettings } from '../../discover/propose/proposal.ts';
import { openPaths } from '../../discover/propose/proposal.ts';
import { quoteArgument } from '../../report/command-line.ts';
import { countOf } from '../../report/format.ts';
import type { Style } from '../../report/style.ts';
import { type Fact, factLines, heading, wrap } from '../../report/text-block.ts';
import { DEFAULTS } from '../../settings/settings.ts';
import type { FoundMapping } from './init.ts';

const FIELDS = [
  'subject',
  'contact',
  'status',
  'priority',
  'tags',
  'assignedToId',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'messages',
  'events',
] as const;
/** Fields whose absence is worth a word. */
const WANTED: ReadonlySet<string> = new Set(['contact', 'status', 'createdAt', 'messages']);
/** Open values that are named. */
const MOST_NAMED = 12;

export function foundLines({ detection, proposal }: FoundMapping, needs: Needs, style: Style): string[] {
  const { layout, tables, confidence } = detection;
  const counts = [
    countOf(needs.tickets, 'ticket'),
    countOf(needs.messages, 'message'),
    countOf(needs.events, 'event'),
  ];
  const facts: Fact[] = [
    ...tables.map(({ name, files }) => ({
      label: name,
      text: files.length <= 3 ? files.join(', ') : `${files.length} files`,
    })),
    { label: 'found', text: counts.join(', ') },
  ];
  const title =
    proposal === undefined
      ? `Layout ${layout.name} (${layout.title}), ${Math.round(confidence * 100)} % sure`
      : 'No known layout: this is what the columns look like';
  const fields =
    proposal === undefined
      ? []
      : FIELDS.flatMap((field): Fact[] => {
          const from = proposal.found.get(field);
          if (from !== undefined) return [{ label: field, text: `${style.symbols.arrow} ${from}` }];
          return WANTED.has(field) ? [{ label: field, text: 'not found', paint: style.yellow }] : [];
        });
  return [...heading(title, style), ...factLines([...facts, ...fields], style), ''];
}

export function writtenLines(name: string, { settings }: ProposedSettings, style: Style): string[] {
  const open = openPaths(settings);
  const config = name === DEFAULTS.settingsFile ? '' : ` -c ${quoteArgument(name)}`;
  const run = `helpdesk-import run${config} --dry-run`;
  const lines = wrap(`${name} is written.`, style, {
    lead: `${style.symbols.tick} `,
    paintLead: style.green,
  });
  if (open.length > 0) {
    const one = open.length === 1;
    lines.push(
      ...wrap(
        `${one ? 'One value in it is' : `${open.length} values in it are`} marked TODO, as only you can know ${one ? 'it' : 'them'}; a run stops until ${one ? 'it is' : 'they are'} decided:`,
        style,
        { lead: `${style.symbols.warning} `, paintLead: style.yellow },
      ),
      ...open
        .slice(0, MOST_NAMED)
        .flatMap((path) => wrap(path.join('.'), style, { indent: 4, paint: style.yellow })),
      ...(open.length > MOST_NAMED ? [`    and ${open.length - MOST_NAMED} more`] : []),
    );
  }
  return [
    ...lines,
    ...factLines(
      [{ label: open.length > 0 ? 'Then' : 'Next', text: style.typed(run), paint: style.cyan }],
      style,
    ),
  ];
}
