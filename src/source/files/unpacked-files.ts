/** One input, unpacked: itself, or the members of an archive. */

import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import { type ByteSource, readRange } from './byte-source.ts';
import { ignoredFile } from './file-problems.ts';
import { kindByName } from './inputs.ts';
import type { UnpackContext } from './spool.ts';
import { unpack } from './unpack.ts';
import { zipMembers } from './zip-archive.ts';

export interface UnpackedFile {
  readonly name: string;
  readonly source: ByteSource;
  readonly compression: SourceFile['compression'];
  /** Named by the user, so it must be data; not so a member of an archive. */
  readonly named: boolean;
}

export async function* unpackedFiles(
  input: { name: string; source: ByteSource; named: boolean },
  problems: Problem[],
  context: UnpackContext,
): AsyncGenerator<UnpackedFile> {
  const { name, source, named } = input;
  const packing = packingOf(await readRange(source, 0, 8));
  if (packing === 'none') return yield { name, source, compression: 'none', named };
  if (packing === 'zip') {
    if (/\.(xlsx|ods|docx)$/i.test(name)) {
      throw new AppError('source', `${name} is a document of Excel or the like, which cannot be read.`, {
        hint: 'Save each of its sheets as CSV.',
      });
    }
    const wanted = (member: string) => wantMember(member, name, problems);
    for await (const member of zipMembers(source, name, wanted, context)) {
      const whole = `${name}!${member.name}`;
      if (await isArchive(member.source)) problems.push(ignoredFile(whole, NESTED));
      else yield { name: whole, source: member.source, compression: 'zip', named: false };
    }
    return;
  }
  const unpacked = await unpack(packing, source, name, context);
  if (await isArchive(unpacked)) problems.push(ignoredFile(name, NESTED));
  else yield { name, source: unpacked, compression: packing, named };
}

const NESTED = 'an archive within an archive is not opened; unpack it first';

async function isArchive(source: ByteSource): Promise<boolean> {
  return isPacked(await readRange(source, 0, 8));
}

function wantMember(member: string, archive: string, problems: Problem[]): boolean {
  const parts = member.split('/');
  if (parts.some((part) => part === '__MACOSX')) return false;
  const kind = kindByName(parts.at(-1) || parts.at(-2) || '');
  if (kind === 'read' || member.endsWith('/')) return kind === 'read';
  if (kind !== 'silent') problems.push(ignoredFile(`${archive}!${member}`, kind.ignored));
  return false;
}

/** Which archive or compression a file is, by its first bytes and never by its name. */
type Packing = 'none' | 'gzip' | 'zstd' | 'zip';

const MAGIC: readonly (readonly [Packing, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  // A zip without entries has nothing but the end of its directory.
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
];

/** Whether these first bytes are those of an archive or of compressed data. */
export function isPacked(head: Buffer): boolean {
  return packingOf(head) !== 'none';
}

function packingOf(head: Buffer): Packing {
  for (const [packing, magic] of MAGIC) {
    if (magic.every((byte, index) => head[index] === byte)) return packing;
  }
  // A zstd file may begin with a frame to be skipped, 0x184D2A50 to 0x184D2A5F.
  if (((head[0] ?? 0) & 0xf0) === 0x50 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18)
    return 'zstd';
  return 'none';
}
