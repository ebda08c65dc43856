/**
 * Tickets that this run has created, as landmarks: a list that shows one of them shows what was created until then. For a create
 * of unknown outcome only one that was sent after it proves anything: of a list that lags, an older one says nothing.
 */
export interface Landmark {
  readonly ticketId: string;
  /** When its create was about to be sent, milliseconds of the monotonic clock. */
  readonly sentAt: number;
  readonly status: string;
  readonly subject: string;
  readonly tag: string | undefined;
}

/** Landmarks of one status stand at least this far apart, milliseconds, and so many are kept. */
const APART_MS = 500;
const MOST_LANDMARKS = 240;
/** So many of each status are asked for, the first ones and the last ones, where the target does not count. */
const SAMPLES = 8;

export class Landmarks {
  readonly #byStatus = new Map<
    string,
    { kept: Landmark[]; latest: Landmark; first: Landmark[]; last: Landmark[] }
  >();
  /** The latest one that the list has shown, by status. */
  readonly #shown = new Map<string, Landmark>();

  /** Ids of those that the list was seen to show, or that are gone from the target: nothing has to be asked of them again. */
  readonly settled = new Set<string>();

  /** How many the list was seen to show. */
  shownCount = 0;

  /** Tickets created so far. */
  count = 0;

  created(landmark: Landmark): void {
    this.count += 1;
    const { status } = landmark;
    const known = this.#byStatus.get(status);
    if (known === undefined) {
      this.#byStatus.set(status, {
        kept: [landmark],
        latest: landmark,
        first: [landmark],
        last: [],
      });
      return;
    }
    known.latest = landmark;
    (known.first.length < SAMPLES ? known.first : known.last).push(landmark);
    if (known.last.length > SAMPLES) known.last.shift();
    if (landmark.sentAt < (known.kept.at(-1)?.sentAt ?? 0) + APART_MS) return;
    known.kept.push(landmark);
    if (known.kept.length > MOST_LANDMARKS) known.kept.shift();
  }

  shown(landmark: Landmark): void {
    if (!this.settled.has(landmark.ticketId)) this.shownCount += 1;
    this.settled.add(landmark.ticketId);
    const best = this.#shown.get(landmark.status);
    if (best === undefined || best.sentAt < landmark.sentAt) this.#shown.set(landmark.status, landmark);
  }

  /** One that was sent at this time or later and that the list has shown: of this status, else of any. */
  shownAfter(time: number, status: string): Landmark | undefined {
    const after = [...this.#shown.values()].filter(({ sentAt }) => sentAt >= time);
    return after.find((landmark) => landmark.status === status) ?? after[0];
  }

  hasShown(status: string): boolean {
    return this.#shown.has(status);
  }

  /** Some of this status that were created, whenever that was. */
  samplesOf(status: string): Landmark[] {
    const known = this.#byStatus.get(status);
    return known === undefined ? [] : [...known.first, ...known.last];
  }

  /** Some that were sent until this time and of which it is not known yet whether the list shows them. */
  until(time: number): Landmark[] {
    return [...this.#byStatus.values()]
      .flatMap(({ first, last }) => [...first, ...last])
      .filter(({ sentAt, ticketId }) => sentAt <= time && !this.settled.has(ticketId));
  }

  /** One to ask the list for; at a later try another one, as a single ticket may have been deleted. */
  after(time: number, status: string, tries: number): Landmark | undefined {
    return this.#of(status, time, tries) ?? this.#ofAny(time, tries);
  }

  #ofAny(time: number, tries: number): Landmark | undefined {
    for (const status of this.#byStatus.keys()) {
      const found = this.#of(status, time, tries);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #of(status: string, time: number, tries: number): Landmark | undefined {
    const known = this.#byStatus.get(status);
    if (known === undefined || known.latest.sentAt < time) return undefined;
    const earliest = known.kept.find(({ sentAt }) => sentAt >= time) ?? known.latest;
    return tries % 2 === 0 ? earliest : known.latest;
  }
}
