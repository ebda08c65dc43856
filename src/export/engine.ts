/** Runs a recipe: takes a request of the queue, asks, and writes down what `step.ts` makes of the answer. */
import type { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/ports.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import { type Answered, markAt, type Place, refusalOf } from './paging.ts';
import { AT_ONCE, type Platform } from './platform.ts';
import { LAST, type Recipe, type Resource } from './recipe.ts';
import { type ExportState, parentOf, type Queued } from './state.ts';
import { bodyOf, pathOf, requestFor, stepOf } from './step.ts';

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
  readonly missing: readonly Record<'resource' | 'parent' | 'why', string>[];
  /** Rows that could not be written, or that hold the token. */
  readonly flawed: readonly Record<'resource' | 'id' | 'why', string>[];
  /** Parents, or a whole list, of which fewer rows were fetched than the platform says there are. */
  readonly incomplete: readonly { what: string; parent: string; count: number; found: number }[];
  /** Ticket numbers that no list has; `asked`: each was asked for, and is gone. */
  readonly gaps: readonly { noun: string; highest: number; missing: number; asked: boolean }[];
  /** Resources that the account or the token does not have. */
  readonly left: readonly Record<'resource' | 'why', string>[];
  readonly isUpdate: boolean;
}

/** Lists without a better way begin so long before the last export began: clocks differ. */
const OVERLAP_MS = 600_000;

export async function runExport(options: ExportOptions): Promise<ExportResult> {
  const { recipe, state } = options;
  const isUpdate = begin(options);
  const run = new ExportRun(options, countsOf(recipe, state, isUpdate).counts);
  await run.work();
  const left = run.end();
  const missing = state.all<ExportResult['missing'][number]>(
    'SELECT resource, parent, why FROM request WHERE why IS NOT NULL ORDER BY resource, parent',
  );
  const flawed = state.all<ExportResult['flawed'][number]>('SELECT * FROM flaw ORDER BY resource, id');
  const gaps = gapsOf(
    recipe,
    state,
    left.map(({ resource }) => resource),
  );
  return { ...countsOf(recipe, state, isUpdate), missing, flawed, gaps, left, isUpdate };
}

/** The requests of one command, `AT_ONCE` at a time, until none is left. */
class ExportRun {
  readonly #options: ExportOptions;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #answered: Set<string>;
  /** Resources that were refused, and gave nothing out yet. */
  readonly #refused = new Map<Resource, { count: number; error: AppError }>();
  /** Numbers that no list has, the next one last. */
  readonly #unlisted = new Map<Resource, number[]>();
  readonly #ticketNoun: string | undefined;
  readonly #halted = new AbortController();
  readonly #signal: AbortSignal;
  #tickets: number;
  #requests = 0;

  constructor(options: ExportOptions, counts: ExportResult['counts']) {
    const { recipe, state, hard } = options;
    this.#options = options;
    this.#resources = new Map(recipe.resources.map((one) => [one.name, one]));
    this.#answered = new Set(rowsByResource(state).keys());
    this.#ticketNoun = ticketNounOf(recipe);
    this.#tickets = counts.find(({ noun }) => noun === this.#ticketNoun)?.count ?? 0;
    this.#signal = AbortSignal.any([hard, this.#halted.signal]);
  }

  /** Rejects with the reason of `soft`, or with the error that stops the export, once no request is under way. */
  async work(): Promise<void> {
    const { state, soft } = this.#options;
    const running = new Map<number, Promise<void>>();
    let phase = 0;
    try {
      for (;;) {
        soft.throwIfAborted();
        while (running.size < AT_ONCE) {
          const next = state.next(new Set(running.keys()));
          // names come before all that need them, numbers after every list
          if (next === undefined || (running.size > 0 && phaseOf(next.depth) !== phase)) break;
          phase = phaseOf(next.depth);
          running.set(
            next.id,
            this.#ask(next).finally(() => running.delete(next.id)),
          );
        }
        if (running.size === 0) return;
        await Promise.race(running.values());
      }
    } catch (error) {
      if (!soft.aborted || error !== soft.reason) this.#halted.abort(error);
      await Promise.allSettled(running.values());
      throw error;
    }
  }

  /** Records that the export is complete, without the refused resources. Throws the error of a required one. */
  end(): ExportResult['left'] {
    const { recipe, state } = this.#options;
    for (const [{ optional }, { error }] of this.#refused) if (optional !== true) throw error;
    state.change(() => {
      for (const resource of this.#refused.keys()) drop(resource, state);
      for (const { name } of recipe.resources) {
        const begun = state.entry(`begun:${name}`);
        if (begun !== undefined) state.setEntry(`mark:${name}`, begun);
      }
      state.setEntry('open', '0');
      state.setEntry('complete', '1');
    });
    return [...this.#refused].map(([{ name }, { error }]) => ({ resource: name, why: error.message }));
  }

  async #ask(request: Queued): Promise<void> {
    const { state, platform, emit } = this.#options;
    const resource = this.#resources.get(request.resource);
    if (resource === undefined) return state.change(() => state.move(request, undefined));
    if (numbersOf(resource) !== undefined && request.place.numbers === undefined)
      return state.change(() => state.move(request, this.#nextNumbers(resource)));
    const path = pathOf(resource, request, platform.prefix, this.#namesOf);
    const got = await platform.get(resource, path, bodyOf(resource, request), this.#signal);
    if ('error' in got) this.#refuse(resource, request, got.status, got.error);
    else this.#take(resource, request, got);
    this.#requests += 1;
    const left = state.get<number>('SELECT count(*) FROM request WHERE why IS NULL') ?? 0;
    const secondsLeft = left / platform.speed();
    emit({ type: 'exported', tickets: this.#tickets, requests: this.#requests, left, secondsLeft });
  }

  #take(resource: Resource, request: Queued, got: Answered): void {
    const { state, history } = this.#options;
    const { name } = resource;
    this.#answered.add(name);
    this.#refused.delete(resource);
    const parent = parentOf(resource, request);
    const last = request.place.numbers?.at(-1) ?? 0;
    state.change(() => {
      const step = stepOf(resource, request, got, history, (id) =>
        state.get('SELECT digest FROM seen WHERE resource = ? AND parent = ? AND id = ?', name, parent, id),
      );
      const isNumbers = numbersOf(resource) !== undefined;
      const more = isNumbers ? { mark: String(last), next: this.#nextNumbers(resource, last) } : {};
      state.write(request, resource, { ...step, ...more });
      if (resource.noun === this.#ticketNoun) this.#tickets += step.fresh;
    });
  }

  #refuse(resource: Resource, request: Queued, status: number, error: AppError): void {
    const { state } = this.#options;
    const { count = 0 } = this.#refused.get(resource) ?? {};
    const isNew = !this.#answered.has(resource.name);
    const is = refusalOf(resource, request, status, isNew ? count + 1 : 0);
    const last = request.place.numbers?.at(-1);
    const isRight = resource.optional === true || status === 402 || status === 403;
    if (isNew && isRight && (is !== 'skip' || last === undefined))
      this.#refused.set(resource, { count: count + 1, error });
    if (is === 'stop') throw error;
    state.change(() => {
      if (is === 'miss') state.run('UPDATE request SET why = ? WHERE id = ?', String(status), request.id);
      else if (is === 'without') drop(resource, state);
      else if (is !== 'skip') state.move(request, is);
      else {
        if (last !== undefined) state.setEntry(`mark:${resource.name}`, String(last));
        state.move(request, this.#nextNumbers(resource, last));
      }
    });
  }

  readonly #namesOf = (name: string): string | undefined =>
    this.#resources.get(name)?.names
      ? (this.#options.state.get("SELECT group_concat(',' || id, '') FROM seen WHERE resource = ?", name) ??
        '')
      : undefined;

  /** The next numbers that no list has; by then every list is complete. */
  #nextNumbers(resource: Resource, asked = 0): Place | undefined {
    const { state, platform, emit } = this.#options;
    const page = numbersOf(resource);
    if (page === undefined) return undefined;
    let left = this.#unlisted.get(resource);
    if (left === undefined) {
      const done = Math.max(asked, Number(state.entry(`mark:${resource.name}`) ?? 0));
      const { highest, missing } = state.gaps(page.numbers);
      left = missing.filter((number) => number > done).reverse();
      this.#unlisted.set(resource, left);
      const time = countOf(Math.ceil(left.length / page.most / platform.speed() / 60), 'minute');
      const message = `${countOf(left.length, 'ticket number')} up to ${formatCount(highest)} are in no list. Asking for them takes ${time} or more.`;
      if (left.length > 0) emit({ type: 'note', message });
    }
    const some = left.splice(-page.most).reverse();
    return some.length === 0 ? undefined : { query: {}, numbers: some };
  }
}

function numbersOf({ page }: Resource) {
  return page !== undefined && 'numbers' in page ? page : undefined;
}

function ticketNounOf({ resources }: Recipe): string | undefined {
  return resources.find(({ noun }) => noun !== undefined)?.noun;
}

function gapsOf(recipe: Recipe, state: ExportState, left: readonly string[]): ExportResult['gaps'] {
  return recipe.resources.flatMap((resource) => {
    const { name, noun = ticketNounOf(recipe) ?? '' } = resource;
    const page = numbersOf(resource);
    if (page === undefined) return [];
    const { highest, missing } = state.gaps([...page.numbers, name]);
    return missing.length === 0
      ? []
      : [{ noun, highest, missing: missing.length, asked: !left.includes(name) }];
  });
}

function phaseOf(depth: number): number {
  return depth < 0 ? -1 : depth < LAST ? 0 : 1;
}

/** Begins an export, unless one is under way. True for an update of one that was complete. */
function begin({ recipe, state, history, now }: ExportOptions): boolean {
  const isUpdate = state.entry('complete') !== undefined;
  state.change(() => {
    if (history && state.entry('history') === undefined) {
      state.setEntry('history', '1');
      for (const resource of recipe.resources.filter((one) => one.history === true))
        for (const parent of [resource.of ?? []].flat())
          for (const { id } of state.all<{ id: string }>('SELECT id FROM seen WHERE resource = ?', parent))
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
  const incomplete = state.all<ExportResult['incomplete'][number]>(INCOMPLETE);
  for (const { name, noun, inside: within } of resources) {
    const { rows = 0, inside = 0 } = found.get(name) ?? {};
    if (found.has(name)) add(noun, rows);
    add(within?.noun, inside);
    const total = Number(state.entry(`total:${name}`) ?? 0);
    if (!isUpdate && total > rows) incomplete.unshift({ what: name, parent: '', count: total, found: rows });
  }
  return { counts: [...counts].map(([noun, count]) => ({ noun, count })), incomplete };
}
