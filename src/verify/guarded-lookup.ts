/**
 * Resolving a host for an attachment check. The connection goes to the very address that was judged here, so a name that
 * resolves to something else a moment later (DNS rebinding) gains nothing. A name with one address that is not allowed is
 * refused as a whole: a public file host has none.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export type ResolveHost = (hostname: string) => Promise<readonly HostAddress[]>;

export const resolveWithSystem: ResolveHost = (hostname) => systemLookup(hostname, { all: true });

/** The address, or one of the addresses, of a host may not be asked. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly address: string;

  constructor(address: string) {
    super(`The address ${address} is not allowed.`);
    this.address = address;
  }
}

export function guardedLookup(resolve: ResolveHost, allow: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const refused = found.find(({ address }) => !allow(address));
        const first = found[0];
        if (refused !== undefined) callback(new AddressRefused(refused.address), '', 0);
        else if (first === undefined) callback(new Error(`The host ${hostname} has no address.`), '', 0);
        else if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
