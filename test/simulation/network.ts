/** Between a process and the helpdesk: delays, drops, repeats and refuses requests, before or after their effect. */
import type { ApiRequest, Reply, Transport } from '../../src/helpdesk/http.ts';
import { type Response, refusal, type Ticket } from '../support/helpdesk.ts';
import type { PeopledHelpdesk } from './people.ts';
import { type Act, type Fault, type Schedule, travelOf } from './schedule.ts';
import { NEVER, type Owner, type World } from './world.ts';

export const TIMEOUT_MS = 30_000;
/** What was read counts as current for so long, and a request is under way for so long after the look. */
const FRESH_MS = 2_000;

export interface Steps extends Owner {
  /** False once the process is dead. */
  step(name: string): boolean;
}

export class Network {
  readonly log: string[] = [];
  /** No faults and no people any more. */
  isQuiet = false;
  readonly #world: World;
  readonly helpdesk: PeopledHelpdesk;
  readonly #schedule: Schedule;
  #due: Act[];
  readonly #waiting = new Set<Act>();
  #requests = 0;
  readonly #counts = new Map<string, number>();
  /** Creates that this process sent, by ticket. */
  readonly creates = new Map<string, number>();
  /** Requests of people wait for these. */
  #inFlight = new Map<Ticket, number>();

  constructor(world: World, helpdesk: PeopledHelpdesk, schedule: Schedule) {
    this.#world = world;
    this.helpdesk = helpdesk;
    this.#schedule = schedule;
    this.#due = [...schedule.acts];
  }

  transport(process: Steps): Transport {
    return {
      close: () => Promise.resolve(),
      exchange: (request, signal, onBegun) => {
        if (signal.aborted) return Promise.reject(signal.reason);
        if (!process.step(`before ${request.method} ${request.path}`)) return NEVER;
        return this.#exchange(request, process, signal, onBegun);
      },
    };
  }

  async #exchange(
    request: ApiRequest,
    process: Steps,
    signal: AbortSignal,
    onBegun?: () => void,
  ): Promise<Reply> {
    this.#requests += 1;
    const nth = this.#requests;
    const nthOf = this.#count(request);
    const fault = this.isQuiet
      ? undefined
      : this.#schedule.faults.findLast((each) =>
          each.of === undefined ? each.request === nth : each.request === nthOf.get(each.of),
        );
    const [there, back] = this.isQuiet ? [5, 5] : travelOf(this.#schedule.seed, nth);
    const { method, path } = request;
    const ticket = this.helpdesk.tickets.get(path.split('/')[5]?.replace(/\?.*/, '') ?? '');
    if (fault?.how === 'refused') {
      this.#say(nth, `${method} ${path} → no connection`);
      await this.#wait(3, process);
      return {
        type: 'breakdown',
        reason: 'not-connected',
        message: 'connection refused',
        code: 'ECONNREFUSED',
      };
    }
    onBegun?.();
    const isWrite = method !== 'GET';
    const arrivesMs = fault?.at === 'late' ? TIMEOUT_MS + 5_000 : there;
    if (isWrite && ticket !== undefined) this.#fly(ticket, 1);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#world.at(this.#world.now + arrivesMs, () => {
      // A PUT that arrives when the next process has sent its own could only be seen by waiting for it.
      const isLost = fault?.at === 'late' && process.isDead && method === 'PUT';
      let response = isLost ? undefined : this.#effect(request, fault);
      // No program can know of what happens between its look and its write.
      const answeredAt = this.#world.now + back;
      if (ticket !== undefined) {
        if (isWrite) this.#fly(ticket, -1);
        // After a failed write the program looks again; one that is late fails when it has looked already.
        const isFailed = fault?.at !== 'late' && (response === undefined || response.status >= 300);
        if (!isWrite) this.#keepQuiet(ticket, answeredAt + FRESH_MS);
        else if (isFailed) {
          this.helpdesk.quietUntil.set(ticket, answeredAt);
          this.#world.at(answeredAt, () => this.#actAgain());
        }
      } else if (method === 'POST') {
        this.#keepQuiet([...this.helpdesk.tickets.values()].at(-1) as Ticket, answeredAt + FRESH_MS);
      }
      this.#say(
        nth,
        `${method} ${path} → ${response?.status ?? 'cut'}${fault === undefined ? '' : ` (${fault.how} ${fault.at})`}`,
      );
      if (fault?.how === 'other-ticket' && method === 'POST') response = this.#other(response);
      process.step(`effect of ${method} ${path}`);
      this.#people(nth);
      if (fault?.meanwhile !== undefined) this.#act(fault.meanwhile);
      this.#world.at(answeredAt, () => resolve(replyOf(response, fault)), process);
    });
    if (arrivesMs + back > TIMEOUT_MS)
      this.#world.at(
        this.#world.now + TIMEOUT_MS,
        () => resolve({ type: 'breakdown', reason: 'timeout', message: 'no answer' }),
        process,
      );
    signal.addEventListener(
      'abort',
      () => resolve({ type: 'breakdown', reason: 'aborted', message: 'aborted' }),
      { once: true },
    );
    const reply = await promise;
    return process.step(`answer to ${method} ${path}`) ? reply : NEVER;
  }

  /** The number of this request among those of its method, and among the creates of its ticket. */
  #count({ method, body = '' }: ApiRequest): ReadonlyMap<string, number> {
    const name = method === 'POST' ? (JSON.parse(String(body)).subject.split(' ').at(-1) as string) : '';
    if (name !== '') this.creates.set(name, (this.creates.get(name) ?? 0) + 1);
    const now = [method, `${method} ${name}`].map((of) => [of, (this.#counts.get(of) ?? 0) + 1] as const);
    for (const [of, count] of now) this.#counts.set(of, count);
    return new Map(now);
  }

  #effect({ method, path, body }: ApiRequest, fault: Fault | undefined): Response | undefined {
    const carry = () => this.helpdesk.handle(method, path, body === undefined ? undefined : JSON.parse(body));
    const said = typeof fault?.how === 'number' ? refusal(fault.how, 'fault') : undefined;
    if (fault?.at === 'before' && fault.how !== 'other-ticket' && fault.how !== 'twice') return said;
    const response = carry();
    if (fault?.how === 'twice') return carry();
    if (fault?.how === 'cut') return undefined;
    return said ?? response;
  }

  #other(response: Response | undefined): Response | undefined {
    const tickets = [...this.helpdesk.tickets.values()];
    const other = tickets.length > 3 ? tickets.at(-2) : tickets[0];
    return other === undefined ? response : { status: 201, body: { ...other.payload, id: other.id } };
  }

  #keepQuiet(ticket: Ticket, until: number): void {
    this.helpdesk.quietUntil.set(ticket, Math.max(this.#quietUntil(ticket), until));
  }

  #quietUntil(ticket: Ticket): number {
    return this.helpdesk.quietUntil.get(ticket) ?? 0;
  }

  #fly(ticket: Ticket, more: number): void {
    this.#inFlight.set(ticket, (this.#inFlight.get(ticket) ?? 0) + more);
  }

  #people(nth: number): void {
    if (this.isQuiet) return;
    const now = this.#due.filter(({ request }) => request <= nth);
    this.#due = this.#due.filter((act) => !now.includes(act));
    for (const act of now) this.#act(act);
  }

  /** Now, or when a program can know of it. */
  #act(act: Act): void {
    if (this.isQuiet) return;
    const ours = this.helpdesk.ours();
    const ticket = ours[act.pick % Math.max(1, ours.length)];
    if (ticket === undefined) {
      this.#due.push({ ...act, request: this.#requests + 1 });
      return;
    }
    const isFlying = (this.#inFlight.get(ticket) ?? 0) > 0;
    if (!isFlying && this.#world.now >= this.#quietUntil(ticket)) {
      if (this.helpdesk.act(ticket, act.kind, act.pick))
        this.log.push(`${this.#world.now} a person: ${act.kind} in ${ticket.id}`);
      return;
    }
    this.#waiting.add(act);
    this.#world.at(
      isFlying ? this.#world.now + 1_000 : this.#quietUntil(ticket),
      () => this.#waiting.delete(act) && this.#act(act),
    );
  }

  #actAgain(): void {
    const acts = [...this.#waiting];
    this.#waiting.clear();
    for (const act of acts) this.#act(act);
  }

  #say(nth: number, text: string): void {
    this.log.push(`${this.#world.now} ${nth} ${text}`);
  }

  #wait(ms: number, process: Steps): Promise<void> {
    return new Promise((resolve) => void this.#world.at(this.#world.now + ms, resolve, process));
  }
}

function replyOf(response: Response | undefined, fault: Fault | undefined): Reply {
  if (response === undefined) return { type: 'breakdown', reason: 'cut', message: 'connection broke' };
  const { status, body } = response;
  const headers = {
    'content-type': 'application/json',
    ...(fault?.how === 429 && fault.retryAfterS > 0 ? { 'retry-after': String(fault.retryAfterS) } : {}),
  };
  return {
    type: 'answer',
    status,
    headers,
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  };
}
