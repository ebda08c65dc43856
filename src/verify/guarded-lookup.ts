/**
 * Which network addresses may be requested. Links of an export must not reach this machine, its network or a cloud's metadata service. The
 * connection uses the checked address.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export type ResolveHost = (hostname: string) => Promise<readonly HostAddress[]>;

export const resolveWithSystem: ResolveHost = (hostname) => systemLookup(hostname, { all: true });

/** An address of the host is not allowed. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly address: string;

  constructor(address: string) {
    super(`The address ${address} is not allowed.`);
    this.address = address;
  }
}

export type AllowAddress = (host: string, address: string) => boolean;

/** A name with one forbidden address is refused. */
export function guardedLookup(resolve: ResolveHost, allow: AllowAddress): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const refused = found.find(({ address }) => !allow(hostname, address));
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

const PRIVATE: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
/** Metadata services at ordinary addresses. */
const OF_CLOUDS: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

/** `address` as a resolver or a URL gives it, without brackets. */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const given = ipaddr.process(address);
  // In a network of IPv6 alone (NAT64) the last four bytes are the address that is asked.
  const isTranslated = given.toString().startsWith('64:ff9b::');
  const parsed = isTranslated ? ipaddr.fromByteArray(given.toByteArray().slice(12)) : given;
  const range = parsed.range();
  return !OF_CLOUDS.has(parsed.toString()) && (range === 'unicast' || (allowPrivate && PRIVATE.has(range)));
}

/** Whether a host is one of these: `acme.example`, `*.acme.example`, with or without a port. */
export function isNamedHost(host: string, named: readonly string[]): boolean {
  return named.some((one) => {
    const name = one.replace(/:\d+$/, '');
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
  });
}

/** The host of a URL as an address, or undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}
