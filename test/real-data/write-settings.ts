/** Writes the fixtures of the real exports anew: `node test/real-data/write-settings.ts [folder…]`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcess } from '../cli/in-process.ts';
import { DATA, REAL_EXPORTS, type RealExport, settingsFile } from './exports.ts';
import { settingsText } from './settings-text.ts';

/** What `init` writes for an export, without a terminal. */
export async function written({ folder, set }: RealExport): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'helpdesk-import-init-'));
  try {
    const output = join(temporary, 'helpdesk-import.yaml');
    const ended = await inProcess(
      'init',
      [join(DATA, folder)],
      { yes: true, output, set },
      { cwd: temporary },
    );
    if (ended.code !== 0) throw new Error(`init ends with ${ended.code} for ${folder}:\n${ended.stderr}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  for (const real of REAL_EXPORTS)
    if (wanted.length === 0 || wanted.includes(real.folder))
      writeFileSync(settingsFile(real), settingsText(await written(real), real));
}
