/**
 * A layout: what the files of one kind of export look like and how tickets, messages and events come out of them.
 * Built-in layouts and the `mapping` section of helpdesk-import.yaml are written in exactly this language.
 */
import type { Condition, Expression, Scalar, Unlisted } from './expression.ts';

/** How a table is known in a file. All parts that are given must hold. */
export interface Recognition {
  /** Columns (paths) that must be there; `a|b` is either of them. */
  columns?: string[] | undefined;
  /** At least one of these. */
  anyColumn?: string[] | undefined;
  /** None of these. */
  absent?: string[] | undefined;
  /** Least share (0 to 1) of the file's columns that the layout knows. */
  minKnown?: number | undefined;
  /** Glob on the file name; `*` and `?`. */
  file?: string | undefined;
  format?: 'csv' | 'json' | undefined;
  /** JSON: where the array of records stands, e.g. `_embedded.conversations`; `.` for the document or line itself. */
  path?: string | string[] | undefined;
  /** Name of the stream in an Airbyte or Singer envelope, without its prefix. */
  stream?: string | string[] | undefined;
  /** JSON: only records with one of these values here. */
  where?: { column: string; in: Scalar[] } | undefined;
  /** JSON: where in the record the row's object stands. */
  unwrap?: string | undefined;
}

export interface TableRule {
  role: 'root' | 'group' | 'child' | 'lookup';
  /** root, group: the external id; child: the columns that name the ticket; lookup: how rows are found. `a|b` is either. */
  key: string | string[];
  /** child: the columns of the root that `key` matches, where it is not the external id. */
  parentKey?: string | string[] | undefined;
  /** Of several rows with one key only the one with the greatest value here stands. */
  latest?: string | undefined;
  /** Without it the layout does not fit. Root and group tables always are. */
  required?: boolean | undefined;
  recognise: Recognition | Recognition[];
}

/** Who someone is: by a row of a table of people, or by what stands beside the message. */
export interface PersonRule {
  /** Names under `people`, tried in order. */
  person?: string | string[] | undefined;
  id?: Expression | undefined;
  email?: Expression | undefined;
  name?: Expression | undefined;
  /** `customer`, `agent` or `system`. */
  role?: Expression | undefined;
}

export interface PeopleTable {
  /** A table with role `lookup`, found by its key or by `key`. */
  table: string;
  key?: string | undefined;
  id?: Expression | undefined;
  email?: Expression | undefined;
  name?: Expression | undefined;
  role?: Expression | undefined;
}

export interface ContactRule {
  email?: Expression | undefined;
  name?: Expression | undefined;
}

export const TICKET_FIELDS = [
  'subject',
  'contactId',
  'status',
  'priority',
  'tags',
  'customerId',
  'appId',
  'assignedToId',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'readOnly',
  'managedBy',
] as const;
export type TicketField = (typeof TICKET_FIELDS)[number];

export type TicketRule = { [K in TicketField]?: Expression | undefined } & {
  contact?: Expression | ContactRule | undefined;
  requester?: PersonRule | undefined;
  assignee?: PersonRule | undefined;
};

/** Where messages or events come from: rows of a table, or items of a list in the row. */
export interface SourceRule {
  /** A child or group table; without it the ticket's own row. */
  from?: string | undefined;
  /** A list in that row; its items become the scope. */
  each?: Expression | undefined;
  /** A header that the CSV repeats: each filled cell is an item. */
  columns?: string | undefined;
  /** Takes an item apart: text cut at `by`, the last name keeping the rest. */
  parts?: { by: string; names: string[] } | undefined;
  where?: Condition | undefined;
  /** The same rule for several of such places, one after the other: nested in the ticket, and in a table. */
  places?: Omit<SourceRule, 'places'>[] | undefined;
}

export const MESSAGE_FIELDS = [
  'actorType',
  'content',
  'contentType',
  'occurredAt',
  'contactId',
  'agentId',
  'isInternal',
  'attachments',
  'messageId',
  'inReplyToId',
  'referencesIds',
] as const;
export type MessageField = (typeof MESSAGE_FIELDS)[number];

export type MessageRule = SourceRule & { [K in MessageField]?: Expression | undefined } & {
  contact?: Expression | ContactRule | undefined;
  author?: PersonRule | undefined;
  /** `unless-repeated`: dropped when the first other message says the same. `if-no-other`: only when there is none. */
  use?: 'always' | 'unless-repeated' | 'if-no-other' | undefined;
  /**
   * What tells a message from all others: of messages with the same value only the first counts. For exports that have a
   * message twice, such as nested in its ticket and in a table, or in two answers of an API. Empty: it counts.
   */
  once?: Expression | undefined;
  /** Keep a message without content and attachments, for checking to reject. Default false: it is none. */
  keepEmpty?: boolean | undefined;
};

export const EVENT_FIELDS = ['type', 'actorType', 'agentId', 'contactId', 'occurredAt'] as const;
export type EventField = (typeof EVENT_FIELDS)[number];

export type EventRule = SourceRule & { [K in EventField]?: Expression | undefined } & {
  oldValue?: Expression | { status: Expression } | undefined;
  newValue?: Expression | { status: Expression } | undefined;
  actor?: PersonRule | undefined;
  /** What tells an event from all others of its rule: of events with the same value only the first counts. Empty: it counts. */
  once?: Expression | undefined;
  /** Sort by time, take the old value from the row before where it is absent, drop rows that change nothing. */
  history?: boolean | undefined;
  /** With `history`: the status before the first row, which then is a change and not the creation. */
  initial?: Expression | undefined;
};

export interface ExcludeRule {
  when: Condition;
  reason: string;
}

export interface ValueMap {
  values: Record<string, Scalar | null>;
  unlisted?: Unlisted | undefined;
}

export interface Layout {
  name: string;
  title: string;
  /** Name of the layout that this one changes. */
  extends?: string | undefined;
  /** Fits many exports: stands back behind a layout that fits better. */
  generic?: boolean | undefined;
  tables: Record<string, TableRule>;
  /** Other names of a column (other languages, other versions). */
  aliases?: Record<string, string[]> | undefined;
  /** Texts that mean an empty cell, e.g. `?` or `NULL`. */
  nulls?: string[] | undefined;
  maps?: Record<string, ValueMap> | undefined;
  people?: Record<string, PeopleTable> | undefined;
  /**
   * People whose ids are agent ids of the target already, where messages name those themselves. It gives their names to the
   * preview, and changes nothing that is sent.
   */
  team?: string | undefined;
  /** Who wrote a message, where nothing else says it. Default: unknown, a problem. */
  otherAuthors?: 'customer' | 'agent' | 'system' | 'unknown' | undefined;
  /** Domains whose addresses are the team's: their messages are agents' where nothing else says who wrote. */
  agentDomains?: string[] | undefined;
  times?:
    | {
        zone?: string | undefined;
        dayFirst?: boolean | undefined;
        format?: string | string[] | undefined;
        pass?: boolean | undefined;
      }
    | undefined;
  ticket: TicketRule;
  messages?: MessageRule[] | undefined;
  events?: EventRule[] | undefined;
  exclude?: ExcludeRule[] | undefined;
  /** Columns that are known to say nothing worth carrying over; `*` at the end matches the rest. */
  ignore?: string[] | undefined;
  /** What the target has no place for: counted in the loss report where it is filled. */
  notHeld?: { what: string; column: Expression; from?: string | undefined }[] | undefined;
  /** Columns nobody maps are fields that the API does not have (native). */
  unknownFields?: boolean | undefined;
  /** A module with functions for what this language cannot say. */
  transform?: string | undefined;
  /** Not written but found: columns that the user's own rules name. One that no file has is probably mistyped. */
  ownColumns?: readonly { readonly table: string; readonly column: string }[] | undefined;
}

/** What a user may write under `mapping`: every part of a layout, all of it optional when it extends one. */
export type LayoutPatch = Partial<Omit<Layout, 'tables' | 'ticket' | 'ownColumns'>> & {
  tables?: Record<string, Partial<TableRule>> | undefined;
  ticket?: TicketRule | undefined;
};
