/** Everything that decides what a run does, after precedence and rules. The rest of the program sees only this. */
import type { Secret } from '../domain/secret.ts';
import type { AppApiSettings } from './app-api-settings.ts';
import type { MaxErrors, Rate, Shard } from './parse-numbers.ts';

export const IN_DOUBT_POLICIES = ['hold', 'lookup', 'retry'] as const;
export type InDoubtPolicy = (typeof IN_DOUBT_POLICIES)[number];

/**
 * What to do about a message or an event without a time. `reject`: the ticket is rejected. `ticket`: it takes its ticket's
 * `createdAt`. `previous`: it takes the time of the one before it, the first one its ticket's.
 */
export const MISSING_TIMES = ['reject', 'ticket', 'previous'] as const;
export type MissingTimes = (typeof MISSING_TIMES)[number];

/** What to do about a customer's event without a contact id: `reject` the ticket, or `send` it as it is. */
export const CUSTOMER_EVENTS = ['reject', 'send'] as const;
export type CustomerEvents = (typeof CUSTOMER_EVENTS)[number];

export const MESSAGE_IDS = ['auto', 'on', 'off'] as const;
export type MessageIds = (typeof MESSAGE_IDS)[number];

export interface TargetSettings {
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  readonly baseUrl?: string;
  /** Without a slash at its end. */
  readonly apiPath: string;
  /** Put on every ticket; empty: none. */
  readonly tag: string;
  /** Whether every ticket carries a tag of its own and one of its source (domain/identity.ts). */
  readonly identityTag: boolean;
  /** A further tag with `{id}` in it, which stands for the external id. */
  readonly sourceTag?: string;
  readonly statusChangeType: string;
  readonly readOnly?: boolean;
  readonly managedBy?: string;
  /** Whether the target adds events to those it has, where the user says so (4.3 leaves it open). */
  readonly eventsAppend?: boolean | undefined;
  /** Whether messages carry the ids of their mails; `auto`: where the target keeps them. */
  readonly messageIds: MessageIds;
  readonly customerEvents: CustomerEvents;
}

export interface SourceSettings {
  /** What tickets of this source are called in their tags; absent: by the layout. */
  readonly name?: string | undefined;
  /** As the user named them; `-` is standard input. */
  readonly files: readonly string[];
  /** The layout, where it is named instead of detected. */
  readonly from?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  /** Zone of times that do not say theirs. */
  readonly timezone?: string;
  /** For dates such as 03/04/2024 where the whole column leaves it open. */
  readonly dayFirst?: boolean;
  readonly missingTimes: MissingTimes;
  /** UTC ISO-8601: `createdAt` of a ticket that has none, and whose messages have none. */
  readonly missingCreatedAt?: string;
}

export interface SelectionSettings {
  /** Created at or after, milliseconds since the epoch. */
  readonly since?: number;
  /** Created before, milliseconds since the epoch. */
  readonly until?: number;
  /** External ids; an entry `@file` stands for the ids in that file (expandIdList). */
  readonly only?: readonly string[];
  readonly limit?: number;
  readonly shard?: Shard;
}

export interface RunSettings {
  readonly batchSize: number;
  readonly concurrency: number | 'auto';
  /** All of them hold at once; empty: no budget (sandbox). Of a shard, its share in what was given. */
  readonly rates: readonly Rate[];
  readonly timeoutSeconds: number;
  readonly maxErrors?: MaxErrors;
  readonly onInDoubt: InDoubtPolicy;
  /** How long beyond the time-out a target may still carry out a create that it did not answer, seconds. */
  readonly doubtMarginSeconds: number;
  /** How long a target may be down before the run stops with exit 6. */
  readonly giveUpAfterSeconds: number;
  readonly checkAttachments: boolean;
  /** Whether attachments on private and loopback addresses may be asked for. */
  readonly allowPrivateHosts: boolean;
}

export interface PeopleSettings {
  /** Source id or e-mail → agent id of the target. */
  readonly agents: Readonly<Record<string, string>>;
  /** A CSV file with the same, where `agents` names a file. */
  readonly agentsFile?: string;
  readonly fallbackAgent?: string;
  readonly customersWithoutEmail: 'reject' | { readonly synthesize: string };
}

export interface OutputSettings {
  readonly checkpoint: string;
  readonly rejects: string;
  /** Whether the user named the rejects folder: a dry run writes none otherwise. */
  readonly rejectsAsked: boolean;
  readonly report?: string;
  readonly maxProblems: number;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly progress: boolean;
}

export type Mode = 'run' | 'dry-run' | 'trial';

export interface Settings {
  /** Findings about the mapping that somebody has looked at; absent where nothing asks for that. */
  readonly confirm?: Readonly<Record<string, boolean>> | undefined;
  readonly mode: Mode;
  /** Tickets of a trial, 5 to 10. */
  readonly trialSize: number;
  /** Folder of the embedded service, where the run goes there. */
  readonly sandbox?: string;
  readonly serve: boolean;
  readonly delta: boolean;
  readonly replaceMessages: boolean;
  readonly explain?: string;
  readonly assumeYes: boolean;
  readonly target: TargetSettings;
  readonly credentials?: Credentials;
  /** Only for commands that need the app API. */
  readonly appApi?: AppApiSettings;
  readonly source: SourceSettings;
  readonly selection: SelectionSettings;
  readonly run: RunSettings;
  readonly people: PeopleSettings;
  readonly output: OutputSettings;
  /** The `mapping` section as its schema left it; undefined where there is none. */
  readonly mapping?: unknown;
}

/** How to be let in (specification, section 5; public facts). From the environment only, never from a flag or a file. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: Secret }
  /** Read again when the target refuses the token. */
  | { readonly kind: 'token-file'; readonly path: string }
  | {
      readonly kind: 'client-credentials';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: Secret;
      readonly scope?: string;
    }
  | {
      readonly kind: 'refresh-token';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret?: Secret;
      /** Absent: only in the file. */
      readonly refreshToken?: Secret;
      /** What it holds goes before `refreshToken`; a replaced refresh token is written back here. */
      readonly refreshTokenFile?: string;
      readonly scope?: string;
    };

/** What holds where nobody says otherwise. */
export const DEFAULTS = {
  trialSize: 8,
  sandbox: 'helpdesk-import.sandbox',
  apiPath: '/api/core/v1',
  tag: 'imported',
  statusChangeType: 'status_change',
  missingTimes: 'reject',
  customerEvents: 'send',
  batchSize: 100,
  concurrency: 'auto',
  rates: [
    { requests: 1000, seconds: 60 },
    { requests: 5000, seconds: 300 },
  ],
  timeoutSeconds: 30,
  onInDoubt: 'lookup',
  doubtMarginSeconds: 15,
  giveUpAfterSeconds: 600,
  checkpoint: 'helpdesk-import.checkpoint.sqlite',
  sandboxCheckpoint: 'checkpoint.sqlite',
  sandboxRejects: 'rejects',
  rejects: 'helpdesk-import.rejects',
  maxProblems: 1000,
  settingsFile: 'helpdesk-import.yaml',
} as const satisfies Record<string, unknown>;
