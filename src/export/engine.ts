/** Runs a recipe: takes a request of the queue, asks, and writes down what `step.ts` makes of the answer. */
import type { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/ports.ts';
import { markAt, refusalOf } from './paging.ts';
import { AT_ONCE, type Platform } from './platform.ts';
import type { Recipe, Resource } from './recipe.ts';
import type { ExportState, Queued } from './state.ts';
import { pathOf, requestFor, stepOf } from './step.ts';

export interface ExportOptions {
  readonly recipe: Recipe;
  readonly state: ExportState;
  readonly platform: Platform;
  readonly history: boolean;
  readonly now: () => number;
  readonly emit: Emit;
  /** Ends the work after the answers under way. */
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
}

export interface ExportResult {
  readonly counts: readonly { readonly noun: string; readonly count: number }[];
  /** Lists that could not be read; the next export tries them again. */
  readonly missing: readonly { readonly resource: string; readonly parent: string; readonly why: string }[];
  /** Rows that could not be written, or that hold the token. */
  readonly flawed: readonly { readonly resource: string; readonly id: string; readonly why: string }[];
  /** Parents, or a whole list, of which fewer rows were fetched than the platform says there are. */
  readonly incomplete: readonly Lack[];
  /** Resources that the account or the token does not have. */
  readonly left: readonly { readonly resource: string; readonly why: string }[];
  readonly isUpdate: boolean;
}

/** Lists without a better way begin so long before the last export began: clocks differ. */
const OVERLAP_MS = 600_000;

interface Lack {
  readonly what: string;
  readonly parent: string;
  readonly count: number;
  readonly found: number;
}

export async function runExport(options: ExportOptions): Promise<ExportResult> {
  const { recipe, state, platform, history, emit, soft, hard } = options;
  const isUpdate = begin(options);
  const resources = new Map(recipe.resources.map((one) => [one.name, one]));
  const answered = new Set(rowsByResource(state).keys());
  /** Resources that were refused, and gave nothing out yet. */
  const refused = new Map<Resource, { count: number; error: AppError }>();
  const ticketList = recipe.resources.find((one) => one.noun !== undefined && one.history === undefined);
  let tickets = rowsByResource(state).get(ticketList?.name ?? '')?.rows ?? 0;
  let requests = 0;
  const halted = new AbortController();
  const signal = AbortSignal.any([hard, halted.signal]);

  const work = async (request: Queued): Promise<void> => {
    const { parent } = request;
    const resource = resources.get(request.resource);
    if (resource === undefined) return state.change(() => state.move(request, undefined));
    const { name } = resource;
    const got = await platform.get(resource, pathOf(resource, request, platform.prefix), signal);
    if ('error' in got) refuse(resource, request, got.status, got.error);
    else {
      answered.add(name);
      refused.delete(resource);
      state.change(() => {
        const step = stepOf(resource, request, got, history, (id) =>
          state.get('SELECT digest FROM seen WHERE resource = ? AND parent = ? AND id = ?', name, parent, id),
        );
        state.write(request, resource, step);
        if (resource === ticketList) tickets += step.fresh;
      });
    }
    requests += 1;
    const left = state.get<number>('SELECT count(*) FROM request WHERE why IS NULL') ?? 0;
    emit({ type: 'exported', tickets, requests, left, secondsLeft: left / platform.speed() });
  };

  const refuse = (resource: Resource, request: Queued, status: number, error: AppError): void => {
    const { count = 0 } = refused.get(resource) ?? {};
    const isNew = !answered.has(resource.name);
    if (isNew && (resource.optional === true || status === 402 || status === 403))
      refused.set(resource, { count: count + 1, error });
    const is = refusalOf(resource, request, status, isNew ? count + 1 : 0);
    if (is === 'stop') throw error;
    state.change(() => {
      if (is === 'miss') state.run('UPDATE request SET why = ? WHERE id = ?', String(status), request.id);
      else if (is === 'without') drop(resource, state);
      else state.move(request, is === 'skip' ? undefined : is);
    });
  };

  const running = new Map<number, Promise<void>>();
  try {
    for (;;) {
      soft.throwIfAborted();
      while (running.size < AT_ONCE) {
        const next = state.next(new Set(running.keys()));
        if (next === undefined) break;
        running.set(
          next.id,
          work(next).finally(() => running.delete(next.id)),
        );
      }
      if (running.size === 0) break;
      await Promise.race(running.values());
    }
  } catch (error) {
    if (!soft.aborted || error !== soft.reason) halted.abort(error);
    await Promise.allSettled(running.values());
    throw error;
  }
  for (const [{ optional }, { error }] of refused) if (optional !== true) throw error;
  state.change(() => {
    for (const resource of refused.keys()) drop(resource, state);
    for (const { name } of recipe.resources) {
      const begun = state.entry(`begun:${name}`);
      if (begun !== undefined) state.setEntry(`mark:${name}`, begun);
    }
    state.setEntry('open', '0');
    state.setEntry('complete', '1');
  });
  const left = [...refused].map(([{ name }, { error }]) => ({ resource: name, why: error.message }));
  const missing = state.all<ExportResult['missing'][number]>(
    'SELECT resource, parent, why FROM request WHERE why IS NOT NULL ORDER BY resource, parent',
  );
  const flawed = state.all<ExportResult['flawed'][number]>('SELECT * FROM flaw ORDER BY resource, id');
  return { ...countsOf(recipe, state, isUpdate), missing, flawed, left, isUpdate };
}

/** Begins an export, unless one is under way. True for an update of one that was complete. */
function begin({ recipe, state, history, now }: ExportOptions): boolean {
  const isUpdate = state.entry('complete') !== undefined;
  state.change(() => {
    if (history && state.entry('history') === undefined) {
      state.setEntry('history', '1');
      for (const resource of recipe.resources.filter((one) => one.history === true))
        for (const { id } of state.all<{ id: string }>('SELECT id FROM seen WHERE resource = ?', resource.of))
          state.add(requestFor(resource, { id }, id));
    }
    if (state.entry('open') === '1') return;
    state.setEntry('open', '1');
    // a refusal may pass, and has a status
    state.run("UPDATE request SET why = NULL WHERE why GLOB '[0-9]*'");
    for (const resource of recipe.resources.filter(({ of }) => of === undefined)) {
      if (resource.since?.sorted === false)
        state.setEntry(`begun:${resource.name}`, markAt(now() - OVERLAP_MS - 1000 * resource.since.overlap));
      state.add(requestFor(resource, {}, '', state.entry(`mark:${resource.name}`)));
    }
  });
  return isUpdate;
}

function drop(resource: Resource, state: ExportState): void {
  state.run('DELETE FROM request WHERE resource = ?', resource.name);
  for (const child of resource.children) drop(child, state);
}

function rowsByResource(state: ExportState) {
  const rows = state.all<{ name: string; rows: number; inside: number }>(
    'SELECT resource AS name, count(*) AS rows, sum(inside) AS inside FROM seen GROUP BY resource',
  );
  return new Map(rows.map((one) => [one.name, one]));
}

const INCOMPLETE = `SELECT what, parent, count, found FROM (SELECT j.key AS what, s.id AS parent, j.value AS count,
  iif(j.key = s.resource, s.inside, (SELECT count(*) FROM seen r WHERE r.resource = j.key AND r.parent = s.id)) AS found
  FROM seen s, json_each(s.said) j WHERE s.said <> '{}') WHERE found < count ORDER BY what, parent`;

function countsOf({ resources }: Recipe, state: ExportState, isUpdate: boolean) {
  const counts = new Map<string, number>();
  const add = (noun: string | undefined, count: number) =>
    noun !== undefined && counts.set(noun, (counts.get(noun) ?? 0) + count);
  const found = rowsByResource(state);
  const incomplete = state.all<Lack>(INCOMPLETE);
  for (const { name, noun, inside: within } of resources) {
    const { rows = 0, inside = 0 } = found.get(name) ?? {};
    if (found.has(name)) add(noun, rows);
    add(within?.noun, inside);
    const total = Number(state.entry(`total:${name}`) ?? 0);
    if (!isUpdate && total > rows) incomplete.unshift({ what: name, parent: '', count: total, found: rows });
  }
  return { counts: [...counts].map(([noun, count]) => ({ noun, count })), incomplete };
}
