/** The sandbox of an import, in a thread of its own: its handlers take as much processor time as what sends to them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import { MessageChannel, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { AppError } from './domain/errors.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { LeftOut } from './sandbox/store/review.ts';
import { systemClock } from './system-clock.ts';

/** What an import asks of its sandbox besides requests. */
const CALLS = {
  start: ({ url, page, token, app, store }: Sandbox) => ({
    ...{ url, page, token, app },
    id: store.settings.getOrMake('id', randomUUID),
  }),
  serveFiles: (sandbox: Sandbox, folder?: string) => sandbox.serveFiles(folder),
  keepNames: ({ store }: Sandbox, names: ReadonlyMap<string, string>) => store.agents.keepNames(names),
  beginReview: ({ store }: Sandbox) => store.review.begin(),
  /** Tickets that were left out, and external IDs of those that arrived. */
  review: ({ store }: Sandbox, tickets: readonly (LeftOut | string)[]) =>
    store.write(() => {
      for (const each of tickets)
        if (typeof each === 'string') store.review.arrived(each);
        else store.review.leave(each);
    }),
  close: (sandbox: Sandbox) => sandbox.close(),
};

type Calls = typeof CALLS;
type Given<Name extends keyof Calls> = Parameters<Calls[Name]> extends [Sandbox, ...infer Given] ? Given : [];
type Answer<Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>;

export interface EmbeddedSandbox extends Answer<'start'> {
  /** Throws what the call throws. */
  call<Name extends keyof Calls>(name: Name, ...given: Given<Name>): Promise<Answer<Name>>;
  close(): Promise<void>;
}

interface Call {
  readonly name: keyof Calls;
  readonly given: readonly unknown[];
  readonly port: MessagePort;
}

interface Outcome {
  readonly value?: unknown;
  readonly refused?: Pick<AppError, 'code' | 'message' | 'hint' | 'lines'>;
  readonly defect?: unknown;
}

/** Resolves once it listens. Throws AppError `usage` if the folder is not available. */
export async function startEmbedded(dir: string): Promise<EmbeddedSandbox> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { sandboxFolder: dir } });
  const call = async (name: keyof Calls, ...given: unknown[]) => {
    const { port1, port2 } = new MessageChannel();
    thread.postMessage({ name, given, port: port2 } satisfies Call, [port2]);
    const [{ value, refused, defect }] = (await once(port1, 'message')) as [Outcome];
    if (refused !== undefined)
      throw new AppError(refused.code, refused.message, { hint: refused.hint, lines: [...refused.lines] });
    if (defect !== undefined) throw defect;
    return value;
  };
  const typed = call as EmbeddedSandbox['call'];
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    closed ??= call('close').then(() => thread.terminate());
    await closed;
  };
  try {
    return { ...(await typed('start')), call: typed, close };
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}

function failed(error: unknown): Outcome {
  if (!(error instanceof AppError)) return { defect: error };
  const { code, message, hint, lines } = error;
  return { refused: { code, message, hint, lines } };
}

const { sandboxFolder: dir } = (workerData ?? {}) as { readonly sandboxFolder?: string };
if (dir !== undefined) {
  enableCompileCache();
  const started = import('./sandbox/sandbox.ts').then(({ startSandbox }) =>
    startSandbox({ dir, clock: systemClock, inventAgents: true }),
  );
  started.catch(() => undefined);
  parentPort?.on('message', async ({ name, given, port }: Call) => {
    const call = CALLS[name] as (sandbox: Sandbox, ...given: readonly unknown[]) => unknown;
    const outcome = started.then(
      async (sandbox): Promise<Outcome> => ({ value: await call(sandbox, ...given) }),
    );
    port.postMessage(await outcome.catch(failed));
    port.close();
  });
}
