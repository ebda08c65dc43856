/** Limits of an import: rates, policies, and the largest inputs. */

export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** A message without a time rejects its ticket, or takes the previous one's, which keeps the order of a transcript. */
export const MISSING_TIMES = ['reject', 'previous'] as const;
export type MissingTimes = (typeof MISSING_TIMES)[number];

const KIB = 1024;
const MIB = 1024 * KIB;
const REFUSED = 'refused, exit code 2';

const bound = (most: number, unit: string, what: string, beyond = REFUSED) => ({ most, unit, what, beyond });

export const BOUNDS = {
  settings: bound(4 * MIB, 'bytes', 'a settings file'),
  ids: bound(256 * MIB, 'bytes', 'a list of tickets (`--only @file`)'),
  token: bound(64 * KIB, 'bytes', 'a file with a token'),
  team: bound(64 * MIB, 'bytes', 'a file of agents, or of people'),
  ratio: bound(
    250,
    'times',
    'contents of an archive, compared with its size (from 256 MiB)',
    `${REFUSED}; unpack it yourself`,
  ),
  unpacked: bound(16 * MIB, 'bytes', 'a file of a host, unpacked, before that ratio holds', 'not fetched'),
  csvRecord: bound(64 * MIB, 'bytes', 'a row of a CSV', `${REFUSED}; with quotes, read as a stray quote`),
  document: bound(256 * MIB, 'bytes', 'a JSON document', `${REFUSED}; JSONL may be of any size`),
  jsonRecord: bound(384 * MIB, 'bytes', 'a line of a JSONL file'),
  depth: bound(1000, 'levels', 'nested lists and objects of a JSON record', 'the record is rejected'),
  complaints: bound(
    50,
    'lines',
    'complaints of one error (settings, decisions, files)',
    'the rest is counted',
  ),
  pattern: bound(10_000, 'characters', 'a pattern of the mapping'),
  answer: bound(
    32 * MIB,
    'bytes',
    'an answer of the helpdesk other than a thread',
    'cut off; its outcome is unknown',
  ),
  inFlight: bound(
    256 * MIB,
    'bytes',
    'answers, files and JSON documents that are received at once',
    'the later ones wait',
  ),
  tokenAnswer: bound(MIB, 'bytes', 'an answer of the token endpoint', 'cut off; its outcome is unknown'),
  list: bound(256 * MIB, 'bytes', 'all pages of one list of the helpdesk', 'the list cannot be read'),
  pages: bound(1000, 'pages', 'pages of one list of the helpdesk', 'the list cannot be read'),
  id: bound(
    1000,
    'characters',
    'an ID from the helpdesk',
    'not accepted as an ID; nor is an ID that holds the token',
  ),
  probed: bound(1000, 'addresses', 'attachments that a trial checks', 'not checked, and counted'),
  shown: bound(
    4000,
    'characters',
    'a text of the export or the helpdesk on screen',
    'cut, with the number of missing characters',
  ),
  said: bound(300, 'characters', 'the text of a refusal', 'cut'),
  json: bound(
    200 * KIB,
    'bytes',
    'a result in JSON (`inspect --ticket` is never cut)',
    'texts are cut at 4,000 characters, then lists of problems to 80 KiB each',
  ),
};

/** One budget for all answers, documents and files that the process is receiving: the oldest always goes on, the others wait for room. */
export class InFlight {
  readonly #most: number;
  readonly #held = new Map<object, number>();
  readonly #waiting = new Map<object, () => void>();

  /** Beyond half of `most` only the oldest goes on, which has a bound of its own. */
  constructor(most: number) {
    this.#most = most;
  }

  /** False: the owner waits for its `turn`. A request that waits for a connection holds up no other. */
  take(owner: object, bytes: number): boolean {
    if (bytes > 0) this.#held.set(owner, (this.#held.get(owner) ?? 0) + bytes);
    const [oldest = owner] = this.#held.keys();
    return (
      owner === oldest || [...this.#held.values()].reduce((sum, each) => sum + each, 0) <= this.#most / 2
    );
  }

  async turn(owner: object): Promise<void> {
    if (!this.take(owner, 0)) await new Promise<void>((wake) => void this.#waiting.set(owner, wake));
  }

  release(owner: object): void {
    this.#held.delete(owner);
    for (const [each, wake] of [...this.#waiting]) {
      if (each !== owner && !this.take(each, 0)) continue;
      this.#waiting.delete(each);
      wake();
    }
  }
}

export const inFlight = new InFlight(BOUNDS.inFlight.most);
