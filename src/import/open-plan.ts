import { fingerprintsOf } from '../check/fingerprints.ts';
import { type People, peopleOf } from '../check/people.ts';
import type { Database } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { standIn } from '../mapping/people/actors.ts';
import { openKeptPlan, type PlanMeta, readPlanMeta } from '../plan/plan-file.ts';
import { TicketPlan } from '../plan/ticket-plan.ts';
import type { StagedExport } from '../source/open-export.ts';
import { Stage } from '../source/stage.ts';
import { type FileFacts, keptFile } from '../source/staged-file.ts';
import { version } from '../version.ts';
import type { OpenedSource, SourcePorts } from './import-job.ts';
import type { Options, Sending } from './options.ts';

export interface KeptPlan {
  readonly meta: PlanMeta;
  readonly sending: Sending;
  readonly database: Database;
  readonly files: StagedExport;
  readonly people: People | undefined;
}

/** Throws AppError `usage` for a changed plan, or another version's. */
export async function openPlan(path: string): Promise<KeptPlan> {
  const meta = readPlanMeta(path, version());
  const database = await openKeptPlan(meta);
  const stage = new Stage(database);
  const sending = meta.sending as Sending;
  const rows = database
    .prepare<[], Pick<FileFacts, 'id' | 'name' | 'format'> & { readonly reading: string }>(
      'SELECT * FROM file ORDER BY id',
    )
    .all();
  const files = rows.map(({ reading, ...file }) => keptFile(stage, { ...file, ...JSON.parse(reading) }));
  return {
    meta,
    sending,
    database,
    files: { files, problems: [], stage, [Symbol.asyncDispose]: async () => void database.close() },
    people: peopleIn(sending),
  };
}

function peopleIn({ people }: Sending): People | undefined {
  if (people === undefined) return undefined;
  const rows = people.pairs.map(([address, sameAs], at) => ({ line: at + 2, address, sameAs }));
  const read = peopleOf(people.file, rows);
  return 'people' in read ? read.people : undefined;
}

export async function sourceOfPlan(
  plan: KeptPlan,
  reading: Pick<Options['reading'], 'fallbackAgent'>,
  ports: SourcePorts,
): Promise<OpenedSource> {
  const { meta, sending, database, files, people } = plan;
  ports.emit({
    type: 'note',
    message: `The plan ${meta.path} of ${meta.madeAt.slice(0, 16)}Z is unchanged: digest ${meta.digest}.`,
  });
  const ids = await idsOfAgents(meta, reading, ports);
  const problems = database
    .prepare<[], Problem>(
      `SELECT severity, code, file, line, "column", field, message, count FROM problem WHERE ticket IS NULL`,
    )
    .all();
  return {
    files,
    nameOf: ({ file }) => files.files[file]?.name ?? '',
    detection: sending.detection,
    joined: keptJoin(database),
    mapper: keptMapper(plan, ids),
    plan: new TicketPlan(database, ids.size === 0 ? 'kept' : (ticket) => withIds(ticket, ids)),
    kept: meta,
    people,
    tellFileProblems: () => {
      for (const each of problems.splice(0))
        ports.problem(
          Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)) as never,
        );
    },
    [Symbol.asyncDispose]: async () => void database.close(),
  };
}

async function idsOfAgents(
  { path, openAgents }: PlanMeta,
  { fallbackAgent }: Pick<Options['reading'], 'fallbackAgent'>,
  { findAgent, emit, soft }: SourcePorts,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  if (findAgent === undefined || openAgents.length === 0) return ids;
  const unknown: string[] = [];
  for (const email of openAgents) {
    const id = (await findAgent(email, soft)) ?? fallbackAgent;
    if (id === undefined) unknown.push(email);
    else if (id !== standIn(email)) ids.set(standIn(email), id);
  }
  if (unknown.length > 0)
    throw new AppError(
      'configuration',
      `The helpdesk does not know the ${unknown.length === 1 ? 'agent' : 'agents'} ${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ''} of the plan ${path}.`,
      {
        hint: 'Nothing was sent. Add them to the helpdesk, or make a new plan with their ids under agents or with a fallbackAgent.',
      },
    );
  if (ids.size > 0)
    emit({
      type: 'note',
      message: `${ids.size === 1 ? 'One agent' : `${ids.size} agents`} that the plan left open: looked up now. Everything else is as it was signed off.`,
    });
  return ids;
}

function withIds(ticket: CheckedTicket, ids: ReadonlyMap<string, string>): CheckedTicket {
  const idOf = (id: string | undefined) => (id === undefined ? undefined : ids.get(id));
  const named = <T extends { agentId?: string }>(item: T): T => {
    const agentId = idOf(item.agentId);
    return agentId === undefined ? item : { ...item, agentId };
  };
  const assignedToId = idOf(ticket.ticket.assignedToId);
  const parts = {
    ticket: assignedToId === undefined ? ticket.ticket : { ...ticket.ticket, assignedToId },
    messages: ticket.messages.map(named),
    events: ticket.events.map(named),
  };
  return { ...ticket, ...parts, fingerprints: fingerprintsOf(parts, ticket.asExported) };
}

function keptJoin(database: Database): OpenedSource['joined'] {
  return {
    *unmatchedRows() {
      const rows = database
        .prepare<[], PlaceRow & { parent: string; near?: string | null }>('SELECT * FROM unmatched')
        .all();
      for (const row of rows)
        yield { table: row.source_table, parent: row.parent, ref: refOf(row), near: row.near ?? undefined };
    },
    *unreadableRows() {
      const rows = database
        .prepare<[], PlaceRow & { message: string; text: string; is_of_ticket: number }>(
          'SELECT * FROM unreadable',
        )
        .all();
      for (const row of rows) {
        const { source_table: table, message, text, is_of_ticket } = row;
        yield { table, ref: refOf(row), message, text, isOfTicket: is_of_ticket === 1 };
      }
    },
  };
}

interface PlaceRow {
  readonly source_table: string;
  readonly row: number;
  readonly file: number;
  readonly line: number;
}

function refOf({ row, file, line }: PlaceRow) {
  return { file, row, line };
}

function keptMapper(
  { sending, database }: KeptPlan,
  ids: ReadonlyMap<string, string>,
): OpenedSource['mapper'] {
  const agents = database.prepare<[], { id: string; name: string }>('SELECT id, name FROM agent').all();
  return {
    agentNames: () => new Map(agents.map(({ id, name }) => [ids.get(id) ?? id, name])),
    loss: () => sending.loss,
    problems: () => [],
  };
}
