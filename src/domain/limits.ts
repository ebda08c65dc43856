/** Limits of an import: rates, shards, policies, and the largest inputs. */

/** At most `requests` requests in any window of `seconds`. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Part `index` of `count`, from 1: the share of one process. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * A message or event without a time rejects its ticket (`reject`), or takes the time of the one before it, the first one that of the
 * ticket (`previous`), which keeps the order of a transcript.
 */
export const MISSING_TIMES = ['reject', 'previous'] as const;
export type MissingTimes = (typeof MISSING_TIMES)[number];

const KIB = 1024;
const MIB = 1024 * KIB;

interface Bound {
  /** For the reference. */
  readonly what: string;
  readonly most: number;
  readonly unit:
    | 'bytes'
    | 'seconds'
    | 'characters'
    | 'levels'
    | 'pages'
    | 'hosts'
    | 'addresses'
    | 'times'
    | 'lines';
  /** What happens beyond. */
  readonly beyond: string;
  /** What widens it. */
  readonly setting?: string;
}

const REFUSED = 'refused, exit code 2';

/** The largest inputs. The code reads this table, and the reference is made from it. */
export const BOUNDS = {
  settings: { what: 'a settings file', most: 4 * MIB, unit: 'bytes', beyond: REFUSED },
  ids: { what: 'a list of tickets (`--only @file`)', most: 256 * MIB, unit: 'bytes', beyond: REFUSED },
  token: { what: 'a file with a token', most: 64 * KIB, unit: 'bytes', beyond: REFUSED },
  billing: { what: 'a billing file of the sandbox', most: 64 * MIB, unit: 'bytes', beyond: REFUSED },
  team: {
    what: 'a file of agents, of people, or of team members of the sandbox',
    most: 64 * MIB,
    unit: 'bytes',
    beyond: REFUSED,
  },
  ratio: {
    what: 'contents of an archive, compared with its size (from 256 MiB)',
    most: 250,
    unit: 'times',
    beyond: `${REFUSED}; unpack it yourself`,
  },
  csvRecord: {
    what: 'a row of a CSV',
    most: 64 * MIB,
    unit: 'bytes',
    beyond: `${REFUSED}; with quotes in it, its first line is rejected as a stray quote`,
  },
  document: {
    what: 'a JSON document',
    most: 256 * MIB,
    unit: 'bytes',
    beyond: `${REFUSED}; JSONL may be of any size`,
  },
  jsonRecord: {
    what: 'a line of a JSONL file',
    most: 384 * MIB,
    unit: 'bytes',
    beyond: REFUSED,
  },
  depth: {
    what: 'nested lists and objects of a JSON record',
    most: 1000,
    unit: 'levels',
    beyond: 'the record is unreadable and rejected',
  },
  complaints: {
    what: 'complaints of one error (settings, decisions, files)',
    most: 50,
    unit: 'lines',
    beyond: 'the rest is counted',
  },
  pattern: {
    what: 'a pattern of the mapping',
    most: 10_000,
    unit: 'characters',
    beyond: REFUSED,
  },
  answer: {
    what: 'an answer of the helpdesk',
    most: 32 * MIB,
    unit: 'bytes',
    beyond: 'cut off; its outcome is unknown',
  },
  tokenAnswer: {
    what: 'an answer of the token endpoint',
    most: MIB,
    unit: 'bytes',
    beyond: 'cut off; its outcome is unknown',
  },
  list: {
    what: 'all pages of one list of the helpdesk',
    most: 256 * MIB,
    unit: 'bytes',
    beyond: 'the list cannot be read',
  },
  pages: {
    what: 'pages of one list of the helpdesk',
    most: 1000,
    unit: 'pages',
    beyond: 'the list cannot be read',
  },
  id: {
    what: 'an ID from the helpdesk',
    most: 1000,
    unit: 'characters',
    beyond: 'not accepted as an ID; nor is an ID that holds the token',
  },
  probed: {
    what: 'attachments that a trial checks',
    most: 1000,
    unit: 'addresses',
    beyond: 'not checked, and counted',
  },
  shown: {
    what: 'a text of the export or the helpdesk on screen',
    most: 4000,
    unit: 'characters',
    beyond: 'cut, with the number of missing characters',
  },
  said: {
    what: 'the text of a refusal',
    most: 300,
    unit: 'characters',
    beyond: 'cut',
  },
  json: {
    what: 'a result in JSON',
    most: 200 * KIB,
    unit: 'bytes',
    beyond: 'texts are cut at 4,000 characters, then lists of problems to 80 KiB each',
    setting: '`--explain` is never cut',
  },
} as const satisfies Readonly<Record<string, Bound>>;
