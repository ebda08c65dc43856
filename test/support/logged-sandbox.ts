/** A sandbox as other services are: with failures, OAuth, an app API, a team; and with every request that it answered. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Hono, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { answerRefusal, Refusal, type SandboxEnv, type Service } from '../../src/sandbox/core/request.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { AgentToSeed } from '../../src/sandbox/store/people.ts';
import { type AppKeys, type BillingCustomer, serveApp } from './double/app-calls.ts';
import { FaultPicker, type FaultPlan, NO_FAULTS } from './double/faults.ts';
import { kindOf, type RequestKind } from './double/kinds.ts';
import { type AuthOptions, OAuth, tokenUrlOf } from './double/oauth.ts';
import { requireStated } from './double/stated.ts';

export interface DoubleOptions extends Omit<SandboxOptions, 'extend' | 'token'> {
  auth?: AuthOptions;
  faults?: FaultPlan;
  agents?: readonly AgentToSeed[];
  customers?: readonly BillingCustomer[];
  /** Only what the specification names. */
  strict?: boolean;
}

export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly kind: RequestKind;
  /** Undefined if it got no status. */
  readonly status?: number | undefined;
  readonly fault?: string | undefined;
  readonly effect: 'none' | 'read' | 'created' | 'replaced' | 'stored';
  readonly ticketId?: string | undefined;
  readonly subject?: string | undefined;
}

export interface LoggedSandbox extends Sandbox {
  readonly app: AppKeys;
  readonly oauth: { tokenUrl: string; client: OAuth['client'] };
  setFaults(plan: FaultPlan): void;
  readonly log: {
    /** Replace it to act before an answer is sent. */
    onRequest(request: SeenRequest): void;
    requests(filter?: Partial<SeenRequest>): SeenRequest[];
    /** Tickets with subject, time and contact of an earlier one. */
    duplicates(): number[];
  };
}

export async function startLogged(options: DoubleOptions): Promise<LoggedSandbox> {
  const { auth = {}, faults = NO_FAULTS, agents = [], customers = [], strict = false, ...rest } = options;
  const all: SeenRequest[] = [];
  const oauth = new OAuth(auth);
  const app = { id: 'sandbox_app', key: 'sandbox_app_key' };
  let picker = new FaultPicker(faults);
  const log: LoggedSandbox['log'] = {
    onRequest: () => undefined,
    requests: (filter = {}) =>
      all.filter((one) =>
        Object.entries(filter).every(([name, value]) => one[name as keyof SeenRequest] === value),
      ),
    duplicates: () =>
      sandbox.store.sql.column<number>(
        `SELECT max(seq) FROM tickets GROUP BY subject, created_ms, contact_seq HAVING count(*) > 1`,
      ),
  };
  const report = (request: SeenRequest) => {
    all.push(request);
    log.onRequest(request);
  };
  const extend = (service: Service, routes: Hono<SandboxEnv>) => {
    routes.use(async (c, next) => {
      const kind = kindOf(c.req.method, c.req.path);
      if (kind === undefined) return await next();
      const checked = async () => {
        if (strict) await requireStated(c, service, kind);
        await next();
      };
      return await answered({ c, kind, service, oauth, rules: picker.next(kind), next: checked, report });
    });
    oauth.serve(routes, service);
    serveApp(routes, service, app, customers);
  };
  const sandbox = await startSandbox({
    ...rest,
    ...(auth.token !== undefined && { token: auth.token }),
    extend: (routes, service) => extend(service, routes),
  });
  for (const agent of agents) sandbox.store.agents.add(agent);
  const setFaults = (plan: FaultPlan) => {
    picker = new FaultPicker(plan);
  };
  return {
    ...sandbox,
    app,
    oauth: { tokenUrl: tokenUrlOf(sandbox.url), client: oauth.client },
    setFaults,
    log,
  };
}

interface Answering {
  readonly c: Context<SandboxEnv>;
  readonly kind: RequestKind;
  readonly service: Service;
  readonly oauth: OAuth;
  readonly rules: ReturnType<FaultPicker['next']>;
  readonly next: Next;
  readonly report: (request: SeenRequest) => void;
}

async function answered(on: Answering): Promise<Response | undefined> {
  const { c, kind, service, oauth, rules, next, report } = on;
  const { method, url } = c.req;
  const arrival = { method, path: url.slice(url.indexOf('/', url.indexOf('//') + 2)), kind };
  const end = (effect: Effect, status: number | undefined, fault?: string) =>
    report({ ...arrival, ...effect, ...(fault !== undefined && { fault }), status });
  const answer = (status: number, headers: Record<string, string> = {}) =>
    answerRefusal(
      c,
      new Refusal(status as ContentfulStatusCode, `fault_${status}`, 'The sandbox was asked to fail here.', {
        headers,
      }),
    );
  const struck = { c, service, oauth, answer };
  for (const { fault, text, value } of rules) {
    const early = await fault.before?.(struck, value);
    if (early === undefined) continue;
    end({ effect: 'none' }, statusOf(early), text);
    return early;
  }
  await next();
  const effect = await effectOf(c, kind);
  for (const { fault, text, value } of rules) {
    const changed = await fault.after?.(struck, value);
    if (changed === undefined) continue;
    end(effect, statusOf(changed), text);
    if (changed === c.res) return undefined;
    c.res = undefined;
    c.res = changed;
    return undefined;
  }
  end(effect, c.res.status);
  return undefined;
}

type Effect = Pick<SeenRequest, 'effect' | 'ticketId' | 'subject'>;

async function effectOf(c: Context<SandboxEnv>, kind: RequestKind): Promise<Effect> {
  if (c.res.status >= 400) return { effect: 'none' };
  if (c.req.method === 'GET') return { effect: 'read' };
  if (kind === 'create') {
    const { ticket } = (await c.res.clone().json()) as { ticket: { id: string; subject: string } };
    return { effect: 'created', ticketId: ticket.id, subject: ticket.subject };
  }
  const ticketId = /\/tickets\/([^/]+)/.exec(c.req.path)?.[1];
  const effect = kind === 'messages' || kind === 'events' ? 'replaced' : 'stored';
  return ticketId === undefined ? { effect } : { effect, ticketId };
}

function statusOf(answer: Response): number | undefined {
  return answer === RESPONSE_ALREADY_SENT ? undefined : answer.status;
}
