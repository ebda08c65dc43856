/** Runs a recipe: takes a request of the queue, asks, and writes down what `step.ts` makes of the answer. */
import type { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/ports.ts';
import { AT_ONCE, type Platform } from './platform.ts';
import { fileOf, type Recipe, type Resource } from './recipe.ts';
import type { ExportState, Queued } from './state.ts';
import { type Answered, markAt, pathOf, refusalOf, requestFor, stepOf } from './step.ts';

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
  readonly missing: ReturnType<ExportState['missing']>;
  readonly incomplete: ReturnType<ExportState['incomplete']>;
  /** Resources that the account or the token does not have. */
  readonly left: readonly { readonly resource: string; readonly why: string }[];
  readonly isUpdate: boolean;
}

/** Lists without a better way begin so long before the last export began: clocks differ. */
const OVERLAP_MS = 600_000;

/** What a resource's requests met so far in this run. */
interface Tally {
  answered: boolean;
  refused: number;
  error?: AppError;
}

export async function runExport(options: ExportOptions): Promise<ExportResult> {
  const { recipe, state, platform, history, emit, soft, hard } = options;
  const isUpdate = begin(options);
  const counts = new Map(state.counts().map((one) => [one.resource, one.rows]));
  const resources = new Map(recipe.resources.map((one) => [one.name, one]));
  const tallies = new Map<Resource, Tally>(
    recipe.resources.map((one) => [one, { answered: counts.has(one.name), refused: 0 }]),
  );
  const ticketList = recipe.resources.find(
    ({ noun, history: own }) => noun !== undefined && own === undefined,
  );
  let tickets = counts.get(ticketList?.name ?? '') ?? 0;
  let requests = 0;
  const halted = new AbortController();
  const signal = AbortSignal.any([hard, halted.signal]);

  const work = async (request: Queued): Promise<void> => {
    const resource = resources.get(request.resource);
    const tally = resource && tallies.get(resource);
    if (resource === undefined || tally === undefined)
      return state.change(() => state.move(request, undefined));
    const got = await platform.get(resource, pathOf(resource, request, platform.prefix), signal);
    if ('error' in got) refuse(resource, request, got.status, got.error, tally);
    else {
      tally.answered = true;
      const fresh = state.change(() => write(resource, request, got));
      if (resource === ticketList) tickets += fresh;
    }
    requests += 1;
    const { left } = state;
    emit({ type: 'exported', tickets, requests, left, secondsLeft: left / platform.speed() });
  };

  const write = (resource: Resource, request: Queued, page: Answered): number => {
    const { name } = resource;
    const { parent } = request;
    const step = stepOf(resource, request, page, history, (id) => state.digest(name, parent, id));
    for (const row of step.rows) state.see(name, parent, row);
    for (const one of step.requests) state.add(one);
    const file = fileOf(resource);
    const lines = step.rows.map(({ line }) => line);
    if (file !== undefined && lines.length > 0) state.append(file, lines);
    if (step.mark !== undefined) state.setEntry(`mark:${name}`, step.mark);
    if (step.total !== undefined) state.setEntry(`total:${name}`, String(step.total));
    state.move(request, step.next);
    return step.fresh;
  };

  const refuse = (
    resource: Resource,
    request: Queued,
    status: number,
    error: AppError,
    tally: Tally,
  ): void => {
    if (!tally.answered && (resource.optional === true || status === 402 || status === 403)) {
      tally.refused += 1;
      tally.error ??= error;
    }
    const is = refusalOf(resource, request, status, tally.refused);
    if (is === 'stop') throw error;
    state.change(() => {
      if (is === 'miss') state.miss(request, String(status));
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
  const lacking = [...tallies].filter(([, { answered, error }]) => !answered && error !== undefined);
  for (const [{ optional }, { error }] of lacking) if (optional !== true) throw error;
  state.change(() => {
    for (const [resource] of lacking) drop(resource, state);
    for (const { name } of recipe.resources) {
      const begun = state.entry(`begun:${name}`);
      if (begun !== undefined) state.setEntry(`mark:${name}`, begun);
    }
    state.setEntry('open', '0');
    state.setEntry('complete', '1');
  });
  const left = lacking.map(([{ name }, { error }]) => ({ resource: name, why: error?.message ?? '' }));
  return { ...countsOf(recipe, state, isUpdate), missing: state.missing(), left, isUpdate };
}

/** Begins an export, unless one is under way. True for an update of one that was complete. */
function begin({ recipe, state, history, now }: ExportOptions): boolean {
  const isUpdate = state.entry('complete') !== undefined;
  state.change(() => {
    if (history && state.entry('history') === undefined) {
      state.setEntry('history', '1');
      for (const resource of recipe.resources.filter((one) => one.history === true))
        for (const id of state.ids(resource.of ?? '')) state.add(requestFor(resource, { id }, id));
    }
    if (state.entry('open') === '1') return;
    state.setEntry('open', '1');
    state.retryMissing();
    for (const resource of recipe.resources.filter(({ of }) => of === undefined)) {
      if (resource.since?.sorted === false)
        state.setEntry(`begun:${resource.name}`, markAt(now() - OVERLAP_MS - 1000 * resource.since.overlap));
      state.add(requestFor(resource, {}, '', state.entry(`mark:${resource.name}`)));
    }
  });
  return isUpdate;
}

function drop(resource: Resource, state: ExportState): void {
  state.drop(resource.name);
  for (const child of resource.children) drop(child, state);
}

function countsOf(
  recipe: Recipe,
  state: ExportState,
  isUpdate: boolean,
): Pick<ExportResult, 'counts' | 'incomplete'> {
  const counts = new Map<string, number>();
  const found = new Map(state.counts().map((one) => [one.resource, one]));
  const incomplete = state.incomplete();
  for (const { name, noun, inside } of recipe.resources) {
    const { rows = 0, inside: within = 0 } = found.get(name) ?? {};
    for (const [of, count] of [
      [noun, found.has(name) ? rows : undefined],
      [inside?.noun, within],
    ] as const)
      if (of !== undefined && count !== undefined) counts.set(of, (counts.get(of) ?? 0) + count);
    const total = Number(state.entry(`total:${name}`) ?? 0);
    if (!isUpdate && total > rows) incomplete.unshift({ what: name, parent: '', count: total, found: rows });
  }
  return { counts: [...counts].map(([noun, count]) => ({ noun, count })), incomplete };
}
