/**
 * Tells whether a request left this process completely, which is what separates "nothing happened" from "unknown" when
 * a connection breaks.
 *
 * undici reports a request as sent when it has given it to the socket, which may still hold most of a large body. So
 * the socket itself is asked: a write that is finished has been taken over by the operating system, and from then on the
 * service may receive it. A write that is not finished has, at its end, bytes that exist only here; then the service
 * cannot have the whole request, whatever it has read so far.
 *
 * But not having heard of the end of a write is no proof that there was none. Its end may be told a turn of the event
 * loop later, and under load a service can read, act and break off in between. So the proof is only taken from a write
 * that is still going on two whole turns after it began: that one waits for room in the operating system's buffers, and
 * its end is told in the turn in which it happens, before anything else of that connection. Over TLS the end of every
 * piece of a write is told a turn late, so there the proof is never taken. In every case without proof the answer is the
 * careful one: written.
 *
 * Which socket it is, undici tells on its diagnostics channel in the same turn in which it starts the request. If it
 * ever does not, the answer is the careful one too.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const CHANNEL = 'undici:client:sendHeaders';

export interface WriteProgress {
  /** The request is about to be written, in this very turn. */
  begin(): void;
  /** undici has handed over everything to the socket. */
  handedOver(): void;
  /** True unless it is certain that part of the request never left. */
  readonly maybeWritten: boolean;
}

export class SocketWatch {
  #starting: Progress | undefined;

  constructor() {
    subscribe(CHANNEL, this.#onHeaders);
  }

  progress(): WriteProgress {
    return new Progress(this.#onBegin);
  }

  close(): void {
    unsubscribe(CHANNEL, this.#onHeaders);
  }

  readonly #onBegin = (progress: Progress) => {
    this.#starting = progress;
  };

  readonly #onHeaders = (message: unknown) => {
    // Other users of undici publish here too; only the request that was begun in this turn is ours.
    if (this.#starting === undefined) return;
    this.#starting.socket = (message as { socket?: Socket }).socket;
    this.#starting = undefined;
  };
}

class Progress implements WriteProgress {
  socket: Socket | undefined;
  /** `stuck`: waits for room in the operating system's buffers. `failed`: refused before any byte was taken. */
  #write: 'unknown' | 'stuck' | 'failed' | 'finished' = 'unknown';
  readonly #announce: (progress: Progress) => void;

  constructor(announce: (progress: Progress) => void) {
    this.#announce = announce;
  }

  begin(): void {
    this.#announce(this);
  }

  handedOver(): void {
    const { socket } = this;
    if (socket === undefined) return;
    if (socket.writableLength === 0) this.#write = socket.errored === null ? 'finished' : 'failed';
    else setImmediate(() => this.#lookAgain(socket));
  }

  /** Most writes are finished after one turn, and then there is nothing to watch. What an error left says nothing. */
  #lookAgain(socket: Socket): void {
    if (socket.errored !== null || socket.destroyed) return;
    if (socket.writableLength === 0) {
      this.#write = 'finished';
      return;
    }
    // Writes finish in order, so an empty one behind the request finishes when the request has.
    socket.write('', (error) => {
      if (error === null || error === undefined) this.#write = 'finished';
    });
    if (!isEncrypted(socket)) setImmediate(() => this.#stillGoingOn(socket));
  }

  get maybeWritten(): boolean {
    return this.#write === 'unknown' || this.#write === 'finished';
  }

  #stillGoingOn(socket: Socket): void {
    if (this.#write === 'unknown' && !socket.destroyed) this.#write = 'stuck';
  }
}

function isEncrypted(socket: Socket): boolean {
  return (socket as Socket & { encrypted?: boolean }).encrypted === true;
}
