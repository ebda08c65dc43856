/**
 * What comes over a connection that is not encrypted is read into buffers that are used again, a quarter of a megabyte each. Fresh
 * ones for every 64 KB, as a socket makes them, take as much processor time as the reading itself.
 */
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

const SIZE = 256 * 1024;
/** Of less than this a copy is passed on, so that little never holds much. */
const FEW = SIZE / 4;
const MOST_SPARE = 64;

const spare: Buffer[] = [];
/** What was passed on of a buffer, by its memory. */
const lent = new WeakMap<ArrayBufferLike, { readonly whole: Buffer; readonly length: number }>();
let goesOn = false;

const onread = {
  // Called for a new connection, and right after each `callback`; undefined: the same one once more.
  buffer: (): Buffer | undefined => {
    const isSame = goesOn;
    goesOn = false;
    return isSame ? undefined : (spare.pop() ?? Buffer.allocUnsafeSlow(SIZE));
  },
  callback(this: Socket, length: number, whole: Buffer): boolean {
    const isFew = length < FEW;
    if (!isFew) lent.set(whole.buffer, { whole, length });
    const takesMore = this.push(isFew ? Buffer.from(whole.subarray(0, length)) : whole.subarray(0, length));
    goesOn = isFew;
    return takesMore;
  },
};

/** Connects as undici does. */
export function connectorWithBuffers(options: buildConnector.BuildOptions): buildConnector.connector {
  const encrypted = buildConnector(options);
  const plain = buildConnector({ ...options, onread } as buildConnector.BuildOptions);
  return (to, callback) => (to.protocol === 'https:' ? encrypted : plain)(to, callback);
}

/** Nobody reads this part of a body any more. Whether its memory is used again: that is so where it was all that came in one read. */
export function giveBack({ buffer, byteOffset, length }: Buffer): boolean {
  const loan = byteOffset === 0 ? lent.get(buffer) : undefined;
  if (loan?.length !== length) return false;
  lent.delete(buffer);
  if (spare.length < MOST_SPARE) spare.push(loan.whole);
  return true;
}
