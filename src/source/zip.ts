/**
 * The files in a .zip, unpacked one after another. Nothing is written under a name from the archive; names are cleaned all
 * the same, because people see them and rejects are called after them.
 */
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '../domain/errors.ts';
import { type ByteStream, damaged, guardedStream, type ReadContext, unpackedFile } from './bytes.ts';
import { kindByName } from './inputs.ts';
import { ignoredFile } from './problems.ts';

export async function* zipMembers(
  path: string,
  archive: string,
  context: ReadContext,
): AsyncGenerator<ByteStream> {
  const { signal } = context;
  const zip = await openZip(path, archive, signal);
  try {
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted();
      const member = memberName(entry);
      const name = `${archive}!${member}`;
      if (member === '' || member.endsWith('/') || !isWanted(member, name, context)) continue;
      if (entry.isEncrypted())
        throw new AppError('source', `${name} is encrypted.`, {
          hint: 'Unpack the archive with its password and name the unpacked files.',
        });
      const bytes = verified(zip, entry, archive, context);
      yield* unpackedFile({ name, named: false, compression: 'zip', bytes }, context);
    }
  } catch (cause) {
    throw damaged(archive, 'zip', cause, signal);
  } finally {
    zip.close();
  }
}

async function openZip(path: string, archive: string, signal: AbortSignal): Promise<ZipFile> {
  try {
    // Names are decoded here: the library refuses a whole archive for one name that leads out of it.
    return await openPromise(path, { decodeStrings: false, autoClose: false });
  } catch (cause) {
    throw damaged(archive, 'zip', cause, signal);
  }
}

function isWanted(member: string, name: string, { problems }: ReadContext): boolean {
  const parts = member.split('/');
  if (parts.includes('__MACOSX')) return false;
  const kind = kindByName(parts.at(-1) ?? '');
  if (kind !== 'read' && kind !== 'silent') problems.push(ignoredFile(name, kind.ignored));
  return kind === 'read';
}

/** The library compares sizes only: damaged bytes unpack to other letters of the same number. */
async function* verified(
  zip: ZipFile,
  entry: Entry,
  archive: string,
  { tuning, signal }: ReadContext,
): AsyncGenerator<Buffer> {
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of guardedStream(stream, archive, entry.compressedSize, tuning)) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (sum !== entry.crc32 >>> 0) throw new Error('its checksum is wrong');
  } catch (cause) {
    throw damaged(archive, 'zip', cause, signal);
  }
}

/** `..\a//b`, `/etc/x` and `C:\x` become `a/b`, `etc/x` and `C/x`. A folder keeps its `/` at the end. */
function memberName(entry: Entry): string {
  const raw = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => part.replaceAll(/[\0:]/g, '')).join('/') + (raw.endsWith('/') ? '/' : '');
}
