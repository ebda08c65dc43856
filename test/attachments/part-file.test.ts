import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PartFile } from '../../src/attachments/part-file.ts';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB, 'x');

let folder: string;
let handles: FileHandle;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-part-'));
  await using file = await open(join(folder, 'any'), 'w');
  handles = Object.getPrototypeOf(file);
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function received(part: PartFile, mebibytes: number) {
  for (let at = 0; at < mebibytes; at++) await part.write(CHUNK);
  return part.finish();
}

describe('a large file that comes in', () => {
  it('is brought to the disk meanwhile, where it stays there', async () => {
    const flush = vi.spyOn(handles, 'datasync');
    const part = new PartFile(join(folder, 'part'), true);
    const { size, hash } = await received(part, 70);
    expect(flush.mock.calls.length).toBeGreaterThan(0);
    expect(size).toBe(70 * MIB);
    expect(hash).toBe(
      createHash('sha256')
        .update(Buffer.alloc(70 * MIB, 'x'))
        .digest('hex'),
    );
    await part.close(true);
  });

  it('is not, where it is sent elsewhere', async () => {
    const flush = vi.spyOn(handles, 'datasync');
    const part = new PartFile(join(folder, 'part'), false);
    await received(part, 70);
    expect(flush).not.toHaveBeenCalled();
    await part.close(true);
  });

  it('is not whole where the disk failed once, since it tells of that no second time', async () => {
    const failure = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    vi.spyOn(handles, 'datasync').mockRejectedValueOnce(failure);
    const part = new PartFile(join(folder, 'part'), true);
    await expect(received(part, 70)).rejects.toBe(failure);
    await part.close(false);
  });
});
