/** All settings after precedence and rules. The rest of the program sees only this. */
import type { Shard } from '../domain/limits.ts';
import type { Credentials } from '../domain/secret.ts';
import type { AppKeys } from './credentials.ts';
import type { Switch } from './table/run.ts';
import type { AllValues } from './table/table.ts';

type Mode = 'run' | 'dry-run' | 'trial';

/** Whether the user named the rejects folder: otherwise a dry run writes no rejects. */
interface RejectsAsked {
  readonly rejectsAsked: boolean;
}

export type RunSettings = AllValues['run'] & {
  /** Seconds of downtime until the run stops. */
  readonly giveUpAfter: number;
};

/** The selection; times in milliseconds since the epoch, `until` exclusive. */
type Selection = Omit<AllValues['selection'], 'since' | 'until' | 'shard'> & {
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly shard: Shard | undefined;
};

export type AppApiSettings = AllValues['appApi'] & { readonly keys?: AppKeys | undefined };

type Switched<Name extends Switch> = Readonly<Record<Name, boolean>>;

export interface Settings extends Omit<AllValues['task'], 'trial'>, Switched<'serve' | 'delta' | 'yes'> {
  readonly mode: Mode;
  /** The task of `links`; absent in an import. */
  readonly links?: 'plan' | 'apply' | undefined;
  /** `keep`: where a dry run keeps its plan. `run`: the plan that is run instead of an export. */
  readonly plan?: { readonly keep?: string; readonly run?: string } | undefined;
  /** Tickets of a trial, 5 to 10. */
  readonly trialSize: number;
  readonly target: AllValues['target'];
  readonly credentials?: Credentials | undefined;
  /** Only for commands that need the app API. */
  readonly appApi?: AppApiSettings | undefined;
  readonly source: AllValues['source'] & { readonly files: readonly string[] };
  readonly selection: Selection;
  readonly run: RunSettings;
  readonly files: AllValues['files'];
  readonly people: AllValues['people'];
  readonly output: AllValues['output'] &
    RejectsAsked &
    Switched<'redact' | 'json' | 'quiet' | 'verbose'> & { readonly progress: boolean };
  /** The `mapping` section, if any. */
  readonly mapping?: unknown;
}

/** Hosts in the settings, for files and their store: they may be in a private network. */
export function namedHosts({ hosts = [], publicUrl, s3Endpoint }: Settings['files']): string[] {
  return [...hosts, ...[publicUrl, s3Endpoint].flatMap((url) => URL.parse(url ?? '')?.hostname ?? [])];
}
