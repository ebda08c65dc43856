/** The compressions that exports come in, made when a test runs. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Two members, as log rotation and parallel compressors write them: a reader must go on after the first. */
export function asGzip(bytes: Buffer): Buffer {
  const half = Math.floor(bytes.length / 2);
  return Buffer.concat([gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))]);
}

/** A zip archive (PKWARE APPNOTE 6.3, without zip64). Names are written as they are given, bad ones too. */
export function asZip(entries: readonly NamedBytes[], method: 'deflate' | 'store' = 'deflate'): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name, 'utf8');
    const data = method === 'deflate' ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version needed
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt16LE(method === 'deflate' ? 8 : 0, 4);
    common.writeUInt16LE(0, 6); // midnight
    common.writeUInt16LE(((2025 - 1980) << 9) | (1 << 5) | 1, 8); // 1 January 2025
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 0]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), madeBy, common, place, path]));
    parts.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
