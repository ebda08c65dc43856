/**
 * Resolving a host for an attachment check. The connection goes to the very address that was judged here, so a name that
 * resolves to something else a moment later (DNS rebinding) gains nothing. A name with one address that is not allowed is
 * refused as a whole: a public file host has none.
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

/** The address, or one of the addresses, of a host may not be asked. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly address: string;

  constructor(address: string) {
    super(`The address ${address} is not allowed.`);
    this.address = address;
  }
}

export type AllowAddress = (host: string, address: string) => boolean;

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

// Which addresses an attachment check may ask. An export is somebody else's text: a link in it must not make this program
// knock at the machine it runs on, at its network, or at a cloud's metadata service. So only addresses that the whole
// internet reaches are public; everything reserved, private or unknown is not. Pure.

/** Global unicast of IPv6; the rest is not given out. */
const GLOBAL = ipaddr.IPv6.parse('2000::');

/** `address` as a resolver or a URL gives it, without brackets. An address with a zone (`%eth0`) is on this link. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.process(address);
  const inside = carriedAddress(parsed);
  if (inside !== undefined) return isPublicAddress(inside);
  if (OF_CLOUDS.has(parsed.toString())) return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  return parsed.range() === 'unicast' && parsed.match(GLOBAL, 3);
}

/** Where nobody has files, whatever network this is: link-local (a cloud's metadata), multicast, and what carries other addresses. */
const NEVER: ReadonlySet<string> = new Set([
  'linkLocal',
  'multicast',
  'broadcast',
  'unspecified',
  '6to4',
  'teredo',
]);
/** Metadata services and the like of clouds at addresses that look like any other. */
const OF_CLOUDS: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

/** Which addresses may be asked of a host that the settings name: those of private networks too. */
export function isPublicOrPrivate(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.process(address);
  const inside = carriedAddress(parsed);
  if (inside !== undefined) return isPublicOrPrivate(inside);
  return !OF_CLOUDS.has(parsed.toString()) && !NEVER.has(parsed.range());
}

/** Whether a host is one of these: `acme.example`, `*.acme.example`, with a port or without. */
export function isNamedHost(host: string, named: readonly string[]): boolean {
  return named.some((one) => {
    const name = one.replace(/:\d+$/, '');
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
  });
}

/** Both prefixes of NAT64 carry an IPv4 address in their last 32 bits. */
function carriedAddress(parsed: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  if (parsed instanceof ipaddr.IPv4) return undefined;
  return parsed.range() === 'rfc6052' || parsed.match(ipaddr.IPv6.parse('64:ff9b:1::'), 48)
    ? parsed.toByteArray().slice(-4).join('.')
    : undefined;
}

/** The host of a URL as an address, or undefined where it is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}
