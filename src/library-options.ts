/** Options and result of `runImport`. */
import type { Readable } from 'node:stream';
import type { AppError } from './domain/errors.ts';
import type { RunEvent } from './domain/run-events.ts';
import type { LossReport, Survey } from './domain/survey.ts';
import type { LayoutPatch } from './mapping/language/layout.ts';
import type { FileSettings } from './settings/table/table.ts';
import type { Summary, TrialChecklist } from './summary/summary.ts';

/** The `mapping` section: a layout, or changes to the one that `extends` names. */
export type ImportMapping = LayoutPatch & { extends?: string | undefined };

/** The contents of helpdesk-import.yaml as an object. Keys and values are checked as in the file. */
export type ImportSettings = Omit<FileSettings, 'mapping'> & { mapping?: ImportMapping | undefined };

/** A token or API key, a file that holds it, or OAuth 2.0. */
export type ImportCredentials =
  | { readonly token: string }
  /** Read again when the token is refused. */
  | { readonly tokenFile: string }
  /** `refresh_token` if there is a refresh token or a file for it, else `client_credentials`. */
  | {
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret?: string | undefined;
      readonly refreshToken?: string | undefined;
      /** Holds the refresh token; a replaced one is written back. */
      readonly refreshTokenFile?: string | undefined;
      readonly scope?: string | undefined;
    };

/** A helpdesk, or the sandbox, which keeps its data in a folder. */
export type ImportTarget =
  | { readonly baseUrl: string; readonly credentials?: ImportCredentials }
  | { readonly sandbox: string };

/** Files to import, as with `--files` (docs/attachments.md). Further settings are in `settings.files`. */
export interface ImportAttachments {
  /** A folder, `s3://bucket/prefix` (its keys are in `env`), or `target`. */
  readonly to: string;
  /** The public address of the folder or bucket. */
  readonly publicUrl?: string | undefined;
  /** If a file cannot be fetched: keep its old link, note it in the message, or reject the ticket. Default: `keep`. */
  readonly missing?: 'keep' | 'note' | 'reject' | undefined;
  /** Headers by host: `files.example.com`, `*.example.com`, or `http://…` without encryption. */
  readonly credentials?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Paths are relative to the current folder of the process; those in a settings file to the folder of that file. */
export interface ImportOptions {
  /** Files and folders of the export; `-` is `stdin`. Default: `source.files` of the settings. */
  readonly files?: string | readonly string[] | undefined;
  /** The settings, or the path of a settings file. No other file is read. */
  readonly settings?: ImportSettings | string | undefined;
  /** Not needed for a dry run. */
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
  /** Only this many of the selected tickets, from the first. */
  readonly limit?: number | undefined;
  /** The part of this process: `2/4`, or `auto` with the `env` of a parallel job. */
  readonly shard?: string | undefined;
  /** Imports the files of the tickets. */
  readonly attachments?: ImportAttachments | undefined;
  /** The SQLite checkpoint. Default: as in the settings, else helpdesk-import.checkpoint.sqlite; for a sandbox in its folder. */
  readonly checkpoint?: string | undefined;
  /** Folder for rejected and failed tickets. A dry run writes one only if named here. */
  readonly rejects?: string | undefined;
  /** Of a dry run: the file in which its plan is kept; as `files` it is sent as it is. An earlier plan there is replaced. */
  readonly plan?: string | undefined;
  /** The HTML report to write. */
  readonly report?: string | undefined;
  /** Leave personal data out of the report. */
  readonly redact?: boolean | undefined;
  /** Standard input for the file `-`. */
  readonly stdin?: Readable | undefined;
  /**
   * Variables for HELPDESK_… and the proxy: `process.env` behaves as the command line. Default: empty. Other options override them.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** When aborted: requests under way are finished and recorded; the next run continues. */
  readonly signal?: AbortSignal | undefined;
  /** When aborted: requests under way are cut off and in doubt. */
  readonly stopAtOnce?: AbortSignal | undefined;
  /**
   * Called for every event; the import waits for it. An error stops the import as `signal` does, and runImport throws it at the end.
   */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Called once before anything is sent; `false` ends the import with AppError `usage`. */
  readonly confirm?: ((survey: Survey) => boolean | Promise<boolean>) | undefined;
}

/**
 * What an import came to. The same as the engine's result, written out: its declaration would bring those of the whole
 * program with it.
 */
export interface ImportResult {
  /** The object of `--json`, with `exitCode`. */
  readonly summary: Summary;
  readonly survey: Survey;
  readonly loss: LossReport;
  /** What a person should look at after a trial. */
  readonly checklist?: TrialChecklist | undefined;
  /** What stopped it early. */
  readonly stoppedBy?: AppError | undefined;
  /** Why the report could not be written. */
  readonly reportFailure?: AppError | undefined;
}
