/**
 * What is kept with a run in the checkpoint, from its beginning on, so that whoever asks later knows how far it came and
 * how to go on, also after a crash: counts and the command, nothing of a ticket.
 */
import { resolve } from 'node:path';
import type { Ledger } from '../domain/ledger.ts';
import type { OutcomeCounts } from '../domain/outcome.ts';
import { importAll, quoteArgument } from '../report/command-line.ts';
import type { Settings } from '../settings/settings.ts';
import type { ImportPorts } from './import-ports.ts';
import { isReadFrom } from './rejects-read.ts';
import type { Surveyed } from './survey-export.ts';

export interface RunRecord {
  /** Of the export, as they stood at the beginning and, once the run has ended, at its end. */
  readonly tickets: OutcomeCounts;
  /** Tickets that were to be settled when it began. */
  readonly open?: number | undefined;
  /** Tickets of the checkpoint that were settled when it began. */
  readonly settledBefore?: number | undefined;
  /** Read a part of the export on purpose: its rejects, or a selection. */
  readonly isPart?: boolean | undefined;
  readonly shard?: Settings['selection']['shard'] | undefined;
  /** How to go on; absent where nobody typed a command. */
  readonly typed?: TypedRun | undefined;
}

export interface TypedRun {
  /** The command as it was typed. */
  readonly again: string;
  /** The same for the whole import, where it was a trial. */
  readonly all: string;
  /** Where it was typed: the names of files count from there. */
  readonly folder: string;
}

export function runRecord(
  settings: Settings,
  { survey, open }: Pick<Surveyed, 'survey' | 'open'>,
  ledger: Pick<Ledger, 'counts'>,
  typed: ImportPorts['typed'],
): RunRecord {
  const { since, until, only, limit, shard } = settings.selection;
  const isSelection = [since, until, only, limit].some((part) => part !== undefined);
  return {
    tickets: survey.tickets,
    open,
    settledBefore: settledIn(ledger.counts()),
    isPart: isSelection || isReadFrom(settings.output.rejects, settings.source.files),
    shard,
    typed:
      typed === undefined
        ? undefined
        : { again: typed.commands.again(), all: importAll(typed.commands), folder: resolve(typed.folder) },
  };
}

/** Tickets that have an outcome; a create that nobody carries out any more is in doubt. */
export function settledIn(counts: ReturnType<Ledger['counts']>): number {
  const { done, rejected, failed, inDoubt, creating, skipped } = counts;
  return done + rejected + failed + inDoubt + creating + skipped;
}

/** A command of a run, as it is to be typed in this folder. */
export function typedIn(folder: string, command: string, typed: TypedRun): string {
  return resolve(folder) === typed.folder ? command : `cd ${quoteArgument(typed.folder)} && ${command}`;
}
