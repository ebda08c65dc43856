/** How much may be sent, and by whom. */

/** At most `requests` requests in any window of `seconds`. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Part `index` of `count`, from 1: what one of several processes takes. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}
