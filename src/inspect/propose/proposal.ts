/** A proposed mapping as data: what `init` writes, why, and what only a person can decide. */
import type { TicketField } from '../../layouts/language.ts';

/** Where something stands in the settings file. */
export type SettingPath = readonly (string | number)[];

/** Stands in the file where a person has to decide; a run with one left in it stops with exit code 2. */
export const TODO = 'TODO';

/** Something that the export does not tell. At `path` stands `TODO` until it is decided. */
export interface Decision {
  readonly path: SettingPath;
  /** For a terminal: one question. */
  readonly question: string;
  /** For the file: stands above the line. */
  readonly comment: string;
  /** What may be answered, the likeliest first; without it any text that `kind` allows. */
  readonly choices?: readonly { readonly value: string | boolean | null; readonly label: string }[];
  readonly kind: 'choice' | 'zone' | 'time' | 'domain' | 'text';
  /** Offered as the answer to a free question. */
  readonly suggestion?: string;
}

export interface Comment {
  readonly path: SettingPath;
  readonly text: string;
}

export interface Proposal {
  /** The `mapping` section, keys in the order of reading. */
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly comments: readonly Comment[];
  readonly decisions: readonly Decision[];
  /** Which column each field of the ticket comes from, for the screen; absent ones were not found. */
  readonly found: ReadonlyMap<TicketField | 'contact' | 'messages' | 'events', string>;
}

/** Comments and decisions of the parts, collected while a mapping is made. */
export class ProposalNotes {
  readonly comments: Comment[] = [];
  readonly decisions: Decision[] = [];

  comment(path: SettingPath, text: string): void {
    this.comments.push({ path: ['mapping', ...path], text });
  }

  decide(decision: Decision): void {
    this.decisions.push({ ...decision, path: ['mapping', ...decision.path] });
  }
}
