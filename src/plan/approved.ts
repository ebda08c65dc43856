/** Compares the tickets of a run with those of a plan, before anything is sent. */
import type { Database } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import { isRunTag } from '../domain/identity.ts';
import { countOf, printable, shorten } from '../domain/printable.ts';
import { stop } from '../domain/text/stops.ts';
import { damaged, openPlan } from './plan-file.ts';
import type { TicketRow } from './ticket-plan.ts';

export interface PlanMeta {
  readonly programVersion: string;
  readonly sourceName: string;
  /** Its address, as IDs of agents differ between helpdesks. */
  readonly helpdesk: string | undefined;
  /** Those that shape tickets, by name, as JSON. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface Comparison {
  readonly same: number;
  readonly new: number;
  readonly gone: number;
  readonly changed: number;
  /** The first tickets that differ. */
  readonly examples: readonly { readonly externalId: string; readonly what: string }[];
  /** Settings, mapping, helpdesk and version that are not as they were. */
  readonly causes: readonly string[];
}

const MOST_EXAMPLES = 5;

const PARTS = ['ticket', 'messages', 'events', 'note', 'agents', 'names'] as const;
type Texts = Readonly<Record<(typeof PARTS)[number], string | null>> & {
  readonly id: string;
};
type IsSame = (a: unknown, b: unknown) => boolean;

/** `run`: the database with the tables `ticket` and `step`. Throws AppError `usage` for a plan that cannot be read. */
export function compareWithPlan(
  run: Database,
  now: PlanMeta,
  path: string,
  isStandIn: (agentId: string) => boolean,
): Comparison {
  using opened = openPlan(path);
  const { database: plan } = opened;
  try {
    const then = metaOf(plan);
    const isSameHelpdesk = now.helpdesk !== undefined && now.helpdesk === then.helpdesk;
    // The column `agents` names each agent; IDs differ between helpdesks, and are unknown without one.
    const isSameAgent = (a: unknown, b: unknown) =>
      a === b || (isText(a) && isText(b) && (!isSameHelpdesk || isStandIn(a) || isStandIn(b)));
    const counts = { same: 0, new: 0, gone: 0, changed: 0 };
    const examples: { externalId: string; what: string }[] = [];
    const count = (kind: keyof typeof counts, externalId: string, what: string) => {
      counts[kind]++;
      if (kind !== 'same' && examples.length < MOST_EXAMPLES) examples.push({ externalId, what });
    };
    const planned = plan.prepare<[string], Texts>(
      `SELECT external_id AS id, ${PARTS.join(', ')} FROM ticket WHERE verdict = 'valid' AND external_id = ?`,
    );
    const valid = run.prepare<[], Texts>(
      `SELECT external_id AS id, ${PARTS.map((part) => `t.${part}`).join(', ')} FROM ticket AS t LEFT JOIN step USING (seq)
      WHERE verdict = 'valid' AND leftOut IS NULL ORDER BY seq`,
    );
    for (const row of valid.iterate()) {
      const before = planned.get(row.id);
      const what = before === undefined ? undefined : difference(row, before, isSameAgent);
      if (before === undefined) count('new', row.id, 'new');
      else if (what === undefined) count('same', row.id, '');
      else count('changed', row.id, what);
    }
    run.exec('CREATE INDEX IF NOT EXISTS ticket_external_id ON ticket (external_id)');
    const there = run.prepare<[string], Pick<TicketRow, 'verdict' | 'why'>>(
      `SELECT verdict, why FROM ticket WHERE external_id = ? ORDER BY verdict = 'valid' DESC`,
    );
    const ids = plan.prepare<[], string>(
      `SELECT external_id FROM ticket WHERE verdict = 'valid' ORDER BY seq`,
    );
    for (const id of ids.pluck().iterate()) {
      const found = there.get(id);
      if (found?.verdict === 'valid') continue;
      count('gone', id, found === undefined ? 'not in the export' : `${found.verdict}: ${found.why ?? ''}`);
    }
    return { ...counts, examples, causes: causesOf(now, then) };
  } catch (error) {
    throw error instanceof AppError ? error : damaged(path, error);
  }
}

/** The first part that differs. */
function difference(now: Texts, then: Texts, isSameAgent: IsSame): string | undefined {
  if (PARTS.every((part) => now[part] === then[part])) return undefined;
  const field = fieldOf(ticketIn(now), ticketIn(then), isSameAgent);
  if (field !== undefined) return field;
  for (const part of ['messages', 'events'] as const) {
    const [items, before] = [listIn(now[part]), listIn(then[part])];
    if (items.length !== before.length) return `${items.length} ${part}, approved ${before.length}`;
    for (const [index, item] of items.entries()) {
      const inItem = fieldOf(item, before[index], isSameAgent);
      if (inItem !== undefined) return `${part.slice(0, -1)} ${index + 1}, ${inItem}`;
    }
  }
  if (now.note !== then.note) return 'note of unmapped values';
  if (now.agents !== then.agents) return 'agents';
  return now.names === then.names ? undefined : 'names of customers';
}

const CALLED: ReadonlyMap<string, string> = new Map([
  ['assignedToId', 'assignee'],
  ['contact', 'requester'],
  ['agentId', 'agent'],
]);

function fieldOf(now: unknown, then: unknown, isSameAgent: IsSame): string | undefined {
  if (!isRecord(now) || !isRecord(then)) return 'form';
  const names = [...new Set([...Object.keys(now), ...Object.keys(then)])];
  const name = names.find((name) =>
    name === 'assignedToId' || name === 'agentId'
      ? !isSameAgent(now[name], then[name])
      : JSON.stringify(now[name]) !== JSON.stringify(then[name]),
  );
  return name === undefined ? undefined : (CALLED.get(name) ?? name);
}

/** Each run has a tag of its own. */
function ticketIn({ ticket }: Texts): unknown {
  const read: unknown = JSON.parse(ticket ?? 'null');
  if (!isRecord(read) || !Array.isArray(read['tags'])) return read;
  return { ...read, tags: read['tags'].filter((tag) => !isText(tag) || !isRunTag(tag)) };
}

function listIn(text: string | null): readonly unknown[] {
  const read: unknown = JSON.parse(text ?? '[]');
  return Array.isArray(read) ? read : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function metaOf(plan: Database): PlanMeta {
  const pairs = (sql: string) => Object.fromEntries(plan.prepare<[], [string, string]>(sql).raw().all());
  const meta = pairs('SELECT key, CAST(value AS TEXT) FROM meta');
  return {
    programVersion: meta['program_version'] ?? '',
    sourceName: meta['source_name'] ?? '',
    helpdesk: meta['helpdesk'] || undefined,
    settings: pairs('SELECT name, CAST(value AS TEXT) FROM setting'),
  };
}

function causesOf(now: PlanMeta, then: PlanMeta): string[] {
  const names = [...new Set([...Object.keys(now.settings), ...Object.keys(then.settings)])];
  const settings = names.filter((name) => now.settings[name] !== then.settings[name]);
  const pair = (what: string, a?: string, b?: string) =>
    a === b || a === undefined || b === undefined ? [] : [`${what} (approved ${b}, now ${a})`];
  return [
    ...settings.sort(),
    ...pair('source name', now.sourceName, then.sourceName),
    ...pair('helpdesk', now.helpdesk, then.helpdesk),
    ...pair('version of helpdesk-import', now.programVersion, then.programVersion),
  ];
}

/** Undefined if the run would send what was approved. */
export function refusalOf({ examples, causes, ...counts }: Comparison, path: string): AppError | undefined {
  const { gone, changed } = counts;
  const differ = counts.new + gone + changed;
  if (differ === 0) return undefined;
  const line = (text: string) => shorten(printable(text), 200);
  const more = differ - examples.length;
  return stop(
    'plan-differs',
    { differ: countOf(differ, 'ticket differs', 'tickets differ'), path, new: counts.new, gone, changed },
    {
      lines: [
        ...examples.map(({ externalId, what }) => line(`${externalId}: ${what}`)),
        ...(more > 0 ? [`and ${more} more`] : []),
        ...(causes.length > 0 ? [line(`Changed since: ${causes.join(', ')}`)] : []),
      ],
    },
  );
}

/** For the screen, if all is as approved. */
export function approvalOf({ same, causes }: Comparison, path: string): string {
  const settings =
    causes.length === 0 ? '' : ` Changed since, without an effect on them: ${causes.join(', ')}.`;
  return `${countOf(same, 'ticket is', 'tickets are')} as approved in ${path}.${settings}`;
}
