/** What the library takes and gives back: the command line's `run`, as an object. */
import type { Readable } from 'node:stream';
import type { AppError } from './domain/errors.ts';
import type { RunEvent } from './domain/run-events.ts';
import type { LossReport, Survey } from './domain/survey.ts';
import type { LayoutPatch } from './mapping/language/layout.ts';
import type { FileSettings } from './settings/table/table.ts';
import type { Summary, TrialChecklist } from './summary/summary.ts';

/** The `mapping` section: the layout of the export, or what differs from the built-in one that `extends` names. */
export type ImportMapping = LayoutPatch & { extends?: string | undefined };

/** What may stand in helpdesk-import.yaml, as an object. Keys and values are checked as in the file. */
export type ImportSettings = Omit<FileSettings, 'mapping'> & { mapping?: ImportMapping | undefined };

/** How to be let into a service: a ready token (or API key), a file that holds it, or OAuth 2.0. */
export type ImportCredentials =
  | { readonly token: string }
  /** Read again when the service refuses the token. */
  | { readonly tokenFile: string }
  /** `refresh_token` where there is a refresh token or a file for it, else `client_credentials`. */
  | {
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret?: string | undefined;
      readonly refreshToken?: string | undefined;
      /** Holds the refresh token; one that the service replaces is written back to it. */
      readonly refreshTokenFile?: string | undefined;
      readonly scope?: string | undefined;
    };

/** Where the tickets go: a service, or the embedded one, which keeps its data in a folder. */
export type ImportTarget =
  | { readonly baseUrl: string; readonly credentials?: ImportCredentials }
  | { readonly sandbox: string };

/** Files that are brought along, as with `--files` (docs/attachments.md). What else can be said of them is in `settings.files`. */
export interface ImportAttachments {
  /** A folder, `s3://bucket/prefix` (its keys are in `env`), or `target`. */
  readonly to: string;
  /** The public address of the folder or bucket. */
  readonly publicUrl?: string | undefined;
  /** Of a file that cannot be fetched: keep its old link, note it in the message, or reject the ticket. Default: `keep`. */
  readonly missing?: 'keep' | 'note' | 'reject' | undefined;
  /** Headers by host: `files.example.com`, `*.example.com`, or `http://…` where the connection need not be encrypted. */
  readonly credentials?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Paths are relative to the current folder of the process; those in a settings file to the folder of that file. */
export interface ImportOptions {
  /** Files and folders of the export; `-` is `stdin`. Absent: `source.files` of the settings. */
  readonly files?: string | readonly string[] | undefined;
  /** The settings themselves, or the path of a settings file. No file is looked for by itself. */
  readonly settings?: ImportSettings | string | undefined;
  /** A dry run needs none. */
  readonly target?: ImportTarget | undefined;
  /** `dry-run` sends nothing and changes nothing; `trial` imports a few representative tickets and checks them. Default: `run`. */
  readonly mode?: 'run' | 'dry-run' | 'trial' | undefined;
  /** Tickets of a trial, 5 to 10. Default: 8. */
  readonly trialSize?: number | undefined;
  /** Also replace the messages of imported tickets that have new or changed ones. */
  readonly delta?: boolean | undefined;
  /** Only tickets created at or after this time: a Date, or a text such as `2024-03` or `2024-03-31T10:00:00Z`. */
  readonly since?: Date | string | undefined;
  /** Only tickets created before this time; a day, month or year as text is included. */
  readonly until?: Date | string | undefined;
  /** Only tickets with these external ids. */
  readonly only?: readonly string[] | undefined;
  /** Only the first so many of what is selected otherwise. */
  readonly limit?: number | undefined;
  /** Which part of the export this process takes: `2/4`, or `auto` with the `env` of a parallel job. */
  readonly shard?: string | undefined;
  /** Brings the files of the tickets along. */
  readonly attachments?: ImportAttachments | undefined;
  /** The SQLite checkpoint. Default: as in the settings, else helpdesk-import.checkpoint.sqlite; for a sandbox in its folder. */
  readonly checkpoint?: string | undefined;
  /** Folder for rejected and failed tickets. A dry run writes one only if it is named here. */
  readonly rejects?: string | undefined;
  /** Of a dry run: the file in which its plan is kept; as `files` it is sent as it is. An earlier plan there is replaced. */
  readonly plan?: string | undefined;
  /** The HTML report to write. */
  readonly report?: string | undefined;
  /** Leave personal data out of the report. */
  readonly redact?: boolean | undefined;
  /** What standard input is for the file `-`. */
  readonly stdin?: Readable | undefined;
  /**
   * Variables to read HELPDESK_… and the proxy settings from: pass `process.env` to have what the command line has.
   * Default: none. What stands in the other options goes before them.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborted: nothing new is taken, what is in flight is finished and recorded; the next run goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** Aborted: what is in flight is cut off and is in doubt afterwards. */
  readonly stopAtOnce?: AbortSignal | undefined;
  /**
   * Called for everything that happens, in order, and must not take long: the import waits. What it throws stops the import
   * as `signal` does, and is thrown by runImport once what was in flight is recorded.
   */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Asked once, when the plan is known and before anything is sent; `false` ends the import with AppError `usage`. */
  readonly confirm?: ((survey: Survey) => boolean | Promise<boolean>) | undefined;
}

/**
 * What an import came to. The same as the engine's result, written out: its declaration would bring those of the whole
 * program with it.
 */
export interface ImportResult {
  /** What `--json` shows. `exitCode` says in one number how it went. */
  readonly summary: Summary;
  readonly survey: Survey;
  readonly loss: LossReport;
  /** What a person should look at after a trial. */
  readonly checklist?: TrialChecklist | undefined;
  /** What stopped it early, where something did. */
  readonly stoppedBy?: AppError | undefined;
  /** Why there is no report, where one was asked for and could not be written. */
  readonly reportFailure?: AppError | undefined;
}
