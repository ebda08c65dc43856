/** A sandbox with every request that it answered. */
import type { SeenRequest } from '../../src/sandbox/request-recorder.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

export interface LoggedSandbox extends Sandbox {
  readonly log: {
    /** Replace it to act before an answer is sent. */
    onRequest(request: SeenRequest): void;
    requests(filter?: Partial<SeenRequest>): SeenRequest[];
    /** Tickets with subject, time and contact of an earlier one. */
    duplicates(): number[];
  };
}

export async function startLogged(options: SandboxOptions): Promise<LoggedSandbox> {
  const all: SeenRequest[] = [];
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
  const sandbox = await startSandbox({
    ...options,
    onRequest: (request) => {
      all.push(request);
      log.onRequest(request);
    },
  });
  return { ...sandbox, log };
}
