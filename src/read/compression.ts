/** Which archive or compression a file is, by its first bytes and never by its name. */
export type Packing = 'none' | 'gzip' | 'zstd' | 'zip';

const MAGIC: readonly (readonly [Packing, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  // A zip without entries has nothing but the end of its directory.
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
];

export function packingOf(head: Buffer): Packing {
  for (const [packing, magic] of MAGIC) {
    if (magic.every((byte, index) => head[index] === byte)) return packing;
  }
  // A zstd file may begin with a frame to be skipped, 0x184D2A50 to 0x184D2A5F.
  if (((head[0] ?? 0) & 0xf0) === 0x50 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18)
    return 'zstd';
  return 'none';
}
