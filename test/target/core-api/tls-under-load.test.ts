import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

function certificate(folder: string): boolean {
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const what = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const who = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  try {
    execFileSync('openssl', ['req', '-x509', ...what, ...who, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

describe('over TLS, in a process that is busy', () => {
  it('a request that the service has read is never taken for one that was not fully written', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    try {
      if (!certificate(folder)) context.skip('openssl is not there to make a certificate');
      const output = execFileSync(
        process.execPath,
        [resolve(import.meta.dirname, 'tls-under-load.script.ts')],
        {
          env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert'), TEST_KEY: join(folder, 'key') },
          encoding: 'utf8',
        },
      );
      expect(JSON.parse(output)).toEqual(['cut', 'cut', 'cut', 'cut', 'cut']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
