import { describe, expect, it } from 'vitest';
import { isAllowedAddress, literalAddress } from '../../src/verify/guarded-request.ts';

const TABLE: readonly [kind: string, addresses: string][] = [
  ['public', '1.1.1.1 93.184.215.14 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 223.255.255.255'],
  ['public', '2606:4700::1111 2a00:1450:4001:82b::200e ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::808:808'],
  [
    'loopback',
    '127.0.0.1 127.255.255.255 ::1 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1',
  ],
  ['private', '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fc00::1'],
  ['private', 'fd12:3456:789a::1 ::ffff:192.168.0.1 ::ffff:c0a8:1'],
  ['metadata', '100.100.100.200 fd00:ec2::254 168.63.129.16 192.0.0.192 64:ff9b::a9fe:a9fe fd00:ec2:0::254'],
  ['link-local', '169.254.0.1 169.254.169.254 fe80::1 febf::1 ::ffff:169.254.169.254 fe80::1%eth0'],
  ['unspecified', '0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0 2606:4700::1%lo'],
  ['multicast', '224.0.0.1 239.255.255.255 ff02::1'],
  [
    'reserved',
    '192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.9 240.0.0.1 255.255.255.255 192.88.99.1',
  ],
  ['reserved', '100::1 2001:db8::1 2001:0:1::1 2002:7f00:1:: 3fff::1 fec0::1 64:ff9b:1::a00:1'],
  ['invalid', 'localhost 127.1 0x7f000001 2130706433 1.2.3 1.2.3.4.5 ::g [::1]'],
];

describe('an address that may be asked', () => {
  it.each(TABLE.flatMap(([kind, all]) => all.split(' ').map((address) => [kind, address] as const)))(
    'is a public one, and a private one only where that is allowed, not a %s one: %s',
    (kind, address) => {
      expect(isAllowedAddress(address, false)).toBe(kind === 'public');
      expect(isAllowedAddress(address, true)).toBe(/^(?:public|loopback|private)$/.test(kind));
    },
  );

  it.each([
    ['http://127.1/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://１２７.0.0.1/', '127.0.0.1'],
    ['http://files.example.com/', undefined],
  ])('the host of %s as an address is %s', (url, address) => {
    expect(literalAddress(new URL(url).hostname)).toBe(address);
  });
});
