/** Facts from the plan and the checkpoint, by queries alone. */
import { type AgentRecord, usesOf } from '../domain/decisions.ts';
import { exitCodeOf } from '../domain/errors.ts';
import type { FileRecord } from '../domain/ledger.ts';
import type { ProblemSnapshot } from '../domain/problem.ts';
import type { Facts, TicketFacts } from './facts.ts';
import { isLost, lossNamed, lostOf } from './lost.ts';
import { estimateSeconds, MOST_CHECKS } from './planned.ts';
import type { Steps } from './queries.ts';
import type { Told } from './told.ts';

const SKIP_REASONS = 100;
const MOST_HOSTS = 20;

type Files = { all(): readonly FileRecord[] } | undefined;

/** `problems`: of the run so far. */
export function factsOf(steps: Steps, files: Files, problems: ProblemSnapshot): Facts {
  const run = steps.told();
  const { mode, isDelta, layout, target, checkpoint, orphans, contacts, look, stoppedBy } = run;
  const { sent = { messages: 0, events: 0, updates: 0 }, probed = { checked: 0, unreachable: 0 } } = run;
  const { planFile, rejects, openFirst, trial, runTag, picks, notUpdated = 0 } = run;
  const tickets = ticketFacts(steps);
  const content = contentOf(steps);
  const there = steps.totals();
  const plan = workOf(steps, there.toSend, run);
  const agents = steps
    .all<AgentRecord>('SELECT * FROM person')
    .map(present)
    .sort((a, b) => usesOf(b) - usesOf(a));
  const later = agents.filter(({ how }) => how === 'later').length;
  const { rows: mapping, leftOut: mappingLeftOut } = steps.mapping;
  const facts: Omit<Facts, 'lost'> = {
    version: 2,
    ...{ mode, isDelta, layout, target, checkpoint, mapping, mappingLeftOut, picks, plan, contacts, tickets },
    export: exportOf(steps, run, content),
    skipped: skippedOf(steps),
    messages: {
      read: content.messages,
      sent: there.messages + sent.messages,
      internal: content.internal,
      orphans: orphans.messages,
      longest: steps.all<NonNullable<Facts['messages']['longest']>>(
        `SELECT id AS externalId, thread AS messages ${VALID} AND thread > 0 ORDER BY thread DESC, seq LIMIT 1`,
      )[0],
    },
    events: { read: content.events, sent: there.events + sent.events, orphans: orphans.events },
    people: { agents, later, look },
    attachments: { ...attachmentsOf(steps, files, content), ...probed },
    ...(mode === 'dry-run' && run.fetchesAt !== undefined && { files: toFetch(steps, files, run.fetchesAt) }),
    kept: {
      tickets: content.notes,
      columns: steps
        .all<{ column: string }>(
          `SELECT what AS "column" FROM entry WHERE kind = 'kept' ORDER BY rows DESC, rowid`,
        )
        .map(({ column }) => column),
    },
    requests: run.requests ?? { sent: 0, retried: 0, rateLimited: 0, changing: 0 },
    ...(isDelta && {
      updates: { found: plan.requests.updates, ...changedOf(steps), sent: sent.updates, notUpdated },
    }),
    details: detailsOf(steps),
    known: { agents: later === 0, helpdesk: look !== undefined || mode !== 'dry-run' },
    ...present({ planFile, runTag, openFirst, trial, rejects }),
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    durationMs: (run.durationMs ?? 0) - (run.askedMs ?? 0),
    ...(stoppedBy && { stopped: { message: stoppedBy.message, hint: stoppedBy.hint } }),
    exitCode: exitCodeOf({
      tickets,
      stoppedBy: stoppedBy === undefined ? [] : [stoppedBy],
      isFlawed:
        run.isFlawed === true ||
        (mode === 'run' && notUpdated > 0) ||
        problems.groups.some(({ code }) => code === 'older-than-imported' || code === 'another-ticket-now'),
      duplicates: run.duplicates === true,
      mustReachAll: run.mustReachAll === true,
    }),
  };
  const lost = lostOf(facts);
  const isFailed = facts.exitCode === 0 && run.failOn === 'lost' && lost.some(isLost);
  return { ...facts, lost, ...(isFailed && { exitCode: 3 }) };
}

function present<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== null && value !== undefined),
  ) as Row;
}

const CREATES = `does IN ('create', 'settle')`;
const UPDATES = `does IN ('finish', 'reopen')`;

function ticketFacts(steps: Steps): TicketFacts {
  const [counts] = steps.all<
    Record<'creates' | 'updates' | 'unchanged' | 'created' | 'updated' | 'unreadable', number>
  >(
    `SELECT count(*) FILTER (WHERE ${CREATES}) AS creates, count(*) FILTER (WHERE ${UPDATES}) AS updates,
      count(*) FILTER (WHERE ${CREATES} AND outcome = 'done') AS created,
      count(*) FILTER (WHERE ${UPDATES} AND outcome = 'done') AS updated,
      count(*) FILTER (WHERE outcome = 'done' AND does IS NULL) AS unchanged,
      count(*) FILTER (WHERE outcome = 'rejected' AND messages IS NULL) AS unreadable FROM step`,
  );
  const { creates: create, updates: update, ...others } = counts as NonNullable<typeof counts>;
  return { ...steps.counts(), create, update, ...others };
}

const IS_MEANT = `outcome <> 'skipped'`;
const VALID = `FROM step WHERE ${IS_MEANT} AND thread NOT NULL`;

type Content = ReturnType<typeof contentOf>;

function contentOf(steps: Steps) {
  const sums = ['messages', 'internal', 'events', 'attachments', 'bytes'] as const;
  const [content] = steps.all<
    Record<
      (typeof sums)[number] | 'notes' | 'bare' | 'open' | 'createdSet' | 'createdSaid' | 'times',
      number
    > &
      Record<'first' | 'last' | 'createdSetTo', number | null>
  >(
    `SELECT ${sums.map((name) => `total(${name}) AS ${name}`).join(', ')},
      total(note) FILTER (WHERE ${IS_MEANT}) AS notes, count(*) FILTER (WHERE ${IS_MEANT} AND thread = 0) AS bare,
      count(*) FILTER (WHERE ${IS_MEANT} AND thread NOT NULL AND NOT isStated) AS open,
      count(*) FILTER (WHERE ${IS_MEANT} AND thread NOT NULL AND madeCreated = 'set') AS createdSet,
      min(created) FILTER (WHERE madeCreated = 'set') AS createdSetTo,
      count(*) FILTER (WHERE ${IS_MEANT} AND thread NOT NULL AND madeCreated = 'said') AS createdSaid,
      total(madeTimes) FILTER (WHERE ${IS_MEANT} AND thread NOT NULL) AS times,
      min(created) FILTER (WHERE ${IS_MEANT}) AS first, max(created) FILTER (WHERE ${IS_MEANT}) AS last FROM step`,
  );
  return content as NonNullable<typeof content>;
}

function utc(at: number | null | undefined): string | undefined {
  return at === null || at === undefined ? undefined : new Date(at).toISOString();
}

function exportOf(
  steps: Steps,
  { files, digest, timezone }: Told,
  { first, last, bare, open, createdSet, createdSaid, createdSetTo, times }: Content,
): Facts['export'] {
  return {
    ...{
      files,
      digest,
      withoutMessages: bare,
      withoutStatus: open,
      made: { createdSet, createdSaid, times, createdSetTo: utc(createdSetTo) },
      ...present({ timezone }),
    },
    firstCreatedAt: utc(first),
    lastCreatedAt: utc(last),
    channels: steps
      .all<{ channelId: string | null; tickets: number }>(
        `SELECT channel AS channelId, count(*) AS tickets ${VALID} GROUP BY channel ORDER BY tickets DESC`,
      )
      .map((row) => present(row) as { channelId?: string; tickets: number }),
    months: steps
      .all<{ month: string; count: number; byStatus: string }>(
        `SELECT month, sum(n) AS count, json_group_object(status, n) AS byStatus FROM (
          SELECT strftime('%Y-%m', created / 1000, 'unixepoch') AS month, status, count(*) AS n ${VALID} GROUP BY 1, 2)
        GROUP BY month ORDER BY month`,
      )
      .map((row) => ({ ...row, byStatus: JSON.parse(row.byStatus) as Record<string, number> })),
  };
}

function skippedOf(steps: Steps): Facts['skipped'] {
  const skipped = `FROM step WHERE outcome = 'skipped' AND leftOut NOT NULL`;
  const shown = steps.all<{ reason: string; count: number }>(
    `SELECT leftOut AS reason, count(*) AS count ${skipped} GROUP BY leftOut ORDER BY count DESC, min(seq) LIMIT ${SKIP_REASONS}`,
  );
  const [{ n } = { n: 0 }] = steps.all<{ n: number }>(`SELECT count(*) AS n ${skipped}`);
  const left = n - shown.reduce((sum, { count }) => sum + count, 0);
  return left === 0 ? shown : [...shown, { reason: 'other reasons', count: left }];
}

function workOf(steps: Steps, toSend: number, { batchSize: size, rate }: Told): Facts['plan'] {
  const names = ['creates', 'threads', 'histories', 'updates', 'reads'] as const;
  const [sums] = steps.all<Record<(typeof names)[number], number>>(
    `SELECT ${names.map((name) => `total(${name}) AS ${name}`).join(', ')} FROM step`,
  );
  const { creates = 0, threads: messages = 0, histories: events = 0, updates = 0, reads = 0 } = sums ?? {};
  const total = creates + messages + events + updates + reads;
  const checks = total === 0 ? 0 : MOST_CHECKS;
  return {
    requests: { creates, messages, events, updates, reads, total, checks },
    estimatedSeconds: estimateSeconds(total, rate),
    rate: rate.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' and ') || undefined,
    batches: { count: Math.ceil(toSend / size), size },
  };
}

/** Imported tickets with other messages or events. */
function changedOf(steps: Steps): { messages: number; events: number } {
  const [sums] = steps.all<{ messages: number; events: number }>(
    `SELECT total(threads) AS messages, total(histories) AS events FROM step WHERE ${UPDATES}`,
  );
  return sums ?? { messages: 0, events: 0 };
}

const inKeys = (files: readonly FileRecord[]) =>
  `key IN (SELECT value FROM json_each('${JSON.stringify(files.map(({ key }) => key))}'))`;

export function filesBy(files: Files) {
  const all = files?.all() ?? [];
  return {
    stored: all.filter(({ hash }) => hash !== undefined),
    missing: all.filter(({ hash, reason }) => hash === undefined && reason !== undefined),
  };
}

/** Files that are neither stored nor missing stay links. */
function attachmentsOf(steps: Steps, files: Files, { attachments: read, bytes }: Content) {
  const { stored, missing } = filesBy(files);
  const links = `FROM ticket_file WHERE NOT ${inKeys([...stored, ...missing])}`;
  const [sum = { links: 0, tickets: 0 }] = steps.all<{ links: number; tickets: number }>(
    `SELECT count(DISTINCT key) AS links, count(DISTINCT ticket) AS tickets ${links}`,
  );
  const hosts = steps.all<{ host: string; files: number }>(
    `SELECT host, count(DISTINCT key) AS files ${links} GROUP BY host ORDER BY files DESC, host LIMIT ${MOST_HOSTS}`,
  );
  return { read, bytes, stored: stored.length, missing: missing.length, ...sum, hosts };
}

function toFetch(steps: Steps, files: Files, now: number): NonNullable<Facts['files']> {
  const { stored, missing } = filesBy(files);
  const [sum] = steps.all<
    Record<'wanted' | 'sized' | 'bytes' | 'expired' | 'ending', number> &
      Record<'first' | 'last', number | null>
  >(
    `SELECT count(*) AS wanted, count(bytes) AS sized, total(bytes) AS bytes,
      count(*) FILTER (WHERE ends <= ${now}) AS expired, count(*) FILTER (WHERE ends > ${now}) AS ending,
      min(ends) FILTER (WHERE ends > ${now}) AS first, max(ends) FILTER (WHERE ends > ${now}) AS last
    FROM (SELECT max(bytes) AS bytes, max(ends) AS ends FROM ticket_file WHERE NOT ${inKeys(stored)} GROUP BY key)`,
  );
  const [there] = steps.all<{ waiting: number }>(
    `SELECT count(DISTINCT ticket) AS waiting FROM ticket_file JOIN step ON seq = ticket
    WHERE outcome = 'done' AND does IS NULL AND ${inKeys(missing)}`,
  );
  const { wanted = 0, sized = 0, bytes = 0, expired = 0, ending = 0, first, last } = sum ?? {};
  return {
    ...{ wanted, sized, expired, ending, waiting: there?.waiting ?? 0 },
    bytes: sized === 0 ? undefined : Math.round((bytes / sized) * wanted),
    ...{ first: utc(first), last: utc(last) },
  };
}

function detailsOf(steps: Steps): Facts['details'] {
  const found = (columns: string, kinds: string) =>
    `SELECT ${columns} FROM entry WHERE kind ${kinds} ORDER BY rows DESC, rowid`;
  const others = `SELECT kind, what, place, json_group_array(DISTINCT file) FILTER (WHERE file IS NOT NULL) AS files,
      sum(rows) AS rows
    FROM entry WHERE kind NOT IN ('kept', 'columns', 'values', 'authors')
    GROUP BY kind, what, place ORDER BY sum(rows) DESC, min(rowid)`;
  return {
    columns: steps.all(found('place AS "table", what AS "column", file, rows AS filled', `= 'columns'`)),
    values: steps.all(found('place AS field, what AS value, action, rows AS count', `= 'values'`)),
    authors: steps.all(found('what AS author, rows AS count', `= 'authors'`)),
    notHeld: steps
      .all<Record<'kind' | 'what' | 'files', string> & { place: string | null; rows: number }>(others)
      .map(({ kind: code, what, place, files, rows: count }) => ({
        ...{ code, what: lossNamed(code, { what, place: place ?? '' }), count },
        ...(place !== null && { table: place, files: JSON.parse(files) as string[] }),
        ...(code === 'people' && { columns: what.split(', ') }),
      })),
  };
}
