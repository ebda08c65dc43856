/**
 * Which addresses an attachment check may ask. An export is somebody else's text: a link in it must not make this program
 * knock at the machine it runs on, at its network, or at a cloud's metadata service. So only addresses that the whole
 * internet reaches are public; everything reserved, private or unknown is not. Pure; registries: IANA special-purpose
 * addresses for IPv4 and IPv6.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

export type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'unspecified'
  | 'multicast'
  | 'reserved'
  | 'invalid';

type Range = readonly [AddressClass, string, number];

const V4: readonly Range[] = [
  ['unspecified', '0.0.0.0', 8],
  ['private', '10.0.0.0', 8],
  ['private', '100.64.0.0', 10], // shared by carriers; a cloud's metadata service may stand here
  ['loopback', '127.0.0.0', 8],
  ['link-local', '169.254.0.0', 16], // metadata of most clouds: 169.254.169.254
  ['private', '172.16.0.0', 12],
  ['reserved', '192.0.0.0', 24],
  ['reserved', '192.0.2.0', 24],
  ['reserved', '192.88.99.0', 24],
  ['private', '192.168.0.0', 16],
  ['reserved', '198.18.0.0', 15],
  ['reserved', '198.51.100.0', 24],
  ['reserved', '203.0.113.0', 24],
  ['multicast', '224.0.0.0', 4],
  ['reserved', '240.0.0.0', 4],
];

const V6: readonly Range[] = [
  ['unspecified', '::', 128],
  ['loopback', '::1', 128],
  ['private', 'fc00::', 7],
  ['link-local', 'fe80::', 10],
  ['private', 'fec0::', 10], // site-local, given up, and still routed inside some networks
  ['multicast', 'ff00::', 8],
  ['reserved', '100::', 64],
  ['reserved', '2001::', 23], // protocol assignments, Teredo among them
  ['reserved', '2001:db8::', 32],
  ['reserved', '2002::', 16], // 6to4: an IPv4 address in disguise, and given up
  ['reserved', '3fff::', 20],
];

/** IPv6 prefixes whose last 32 bits are an IPv4 address: mapped, and the two of NAT64. */
const CARRIERS: readonly (readonly [string, number])[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
];

const lists = (ranges: readonly Range[], family: 'ipv4' | 'ipv6') =>
  ranges.map(([kind, network, prefix]) => {
    const list = new BlockList();
    list.addSubnet(network, prefix, family);
    return { kind, list };
  });
const v4 = lists(V4, 'ipv4');
const v6 = lists(V6, 'ipv6');
const globalV6 = lists([['public', '2000::', 3]], 'ipv6');
const carriers = CARRIERS.map(([network, prefix]) => {
  const list = new BlockList();
  list.addSubnet(network, prefix, 'ipv6');
  return list;
});

/** `address` as a resolver or a URL gives it, without brackets; a zone (`%eth0`) makes it link-local. */
export function classifyAddress(address: string): AddressClass {
  if (isIPv4(address)) return v4.find(({ list }) => list.check(address, 'ipv4'))?.kind ?? 'public';
  if (!isIPv6(address)) return 'invalid';
  if (address.includes('%')) return 'link-local';
  if (carriers.some((list) => list.check(address, 'ipv6'))) return classifyAddress(lastFour(address));
  const special = v6.find(({ list }) => list.check(address, 'ipv6'));
  if (special !== undefined) return special.kind;
  return globalV6[0]?.list.check(address, 'ipv6') ? 'public' : 'reserved';
}

export function isPublicAddress(address: string): boolean {
  return classifyAddress(address) === 'public';
}

/** The host of a URL as an address, or undefined where it is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** The IPv4 address in the last 32 bits of an IPv6 address, in either way of writing it. */
function lastFour(address: string): string {
  // The URL parser writes every IPv6 address in hexadecimal groups, the shortest way.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':');
  const [high = '0', low = '0'] = groups.slice(-2).map((group) => group || '0');
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
