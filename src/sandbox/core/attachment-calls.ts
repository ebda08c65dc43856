/**
 * Uploads (public facts): `POST /attachments` answers a signed URL for a PUT, and a download URL. Files are served as downloads, never as
 * pages of this origin.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { z } from 'zod';
import { isSame } from '../credentials.ts';
import { isoOf, publicId, rowNumber } from '../store/kept-values.ts';
import * as requests from './request.ts';
import { route } from './router.ts';

const UPLOAD_WITHIN_MS = 3_600_000;

export const ANNOUNCE_ATTACHMENT = route({
  method: 'POST',
  path: '/attachments',
  body: z.strictObject({
    // An address cannot hold half a surrogate pair.
    filename: z
      .string()
      .min(1)
      .max(255)
      .transform((name) => name.toWellFormed()),
    contentType: z
      .string()
      .regex(/^[\w.+-]+\/[\w.+-]+(?: *;[\x20-\x7e]*)?$/, 'Must be a media type.')
      .default('application/octet-stream'),
  }),
  status: 201,
  handle({ service, body: { filename, contentType }, now }) {
    const { store } = service;
    const secret = randomBytes(16).toString('hex');
    const expiresMs = now + UPLOAD_WITHIN_MS;
    const file = { secret, filename, content_type: contentType, expires_ms: expiresMs };
    const seq = store.sql.insert('attachments', file);
    const key = `${publicId('attachment', seq)}/${secret}`;
    return {
      key,
      signedUrl: `${service.origin()}${requests.UPLOAD_PREFIX}/${key}`,
      downloadUrl: `${service.origin()}${requests.DOWNLOAD_PREFIX}/${key}/${encodeURIComponent(filename)}`,
      expiresAt: isoOf(expiresMs),
    };
  },
});

/** Their secret is the permission. */
export function signedUrlRoutes(service: requests.Service): Hono<requests.SandboxEnv> {
  const { store, clock } = service;
  const routes = new Hono<requests.SandboxEnv>();
  routes.put(`${requests.UPLOAD_PREFIX}/:id/:secret`, async (c) => {
    const row = signedAttachment(service, c);
    if (clock.now() > row.expires_ms)
      throw new requests.Refusal(
        403,
        'signature_expired',
        'This upload URL has expired; ask for another one.',
      );
    const bytes = await requests.bodyOf(c, service.maxBodyBytes);
    store.sql.run('UPDATE attachments SET bytes = ? WHERE seq = ?', bytes, row.seq);
    return c.body(null, 200);
  });
  routes.get(`${requests.DOWNLOAD_PREFIX}/:id/:secret/:filename`, (c) => {
    const row = signedAttachment(service, c);
    if (row.bytes === null)
      throw new requests.Refusal(404, 'not_found', 'Nothing has been uploaded here yet.');
    return c.body(new Uint8Array(row.bytes), 200, {
      'content-type': row.content_type,
      'content-length': String(row.bytes.length),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(row.filename)}`,
      ...INERT,
    });
  });
  routes.get(`${requests.KEPT_PREFIX}/:part{[\\da-f]{2}}/:name{[\\da-f]{64}(?:\\.[a-z\\d]{1,8})?}`, (c) => {
    const folder = store.settings.get(KEPT_FILES);
    const name = c.req.param('name');
    const path = folder === undefined ? undefined : join(folder, c.req.param('part'), name);
    if (path === undefined || !existsSync(path))
      throw new requests.Refusal(404, 'not_found', 'There is no such file.');
    return c.body(Readable.toWeb(createReadStream(path)) as ReadableStream, 200, {
      'content-type': getMimeType(name) ?? 'application/octet-stream',
      'content-length': String(statSync(path).size),
      'content-disposition': 'inline',
      ...INERT,
    });
  });
  return routes;
}

/** A file is never a page of this origin. */
const INERT = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

export const KEPT_FILES = 'kept-files';

interface AttachmentRow {
  readonly seq: number;
  readonly secret: string;
  readonly filename: string;
  readonly content_type: string;
  readonly expires_ms: number;
  readonly bytes: Buffer | null;
}

function signedAttachment({ store }: requests.Service, c: Context<requests.SandboxEnv>): AttachmentRow {
  const seq = rowNumber('attachment', c.req.param('id') ?? '') ?? -1;
  const row = store.sql.get<AttachmentRow>('SELECT * FROM attachments WHERE seq = ?', seq);
  if (row === undefined || !isSame(c.req.param('secret') ?? '', row.secret))
    throw new requests.Refusal(404, 'not_found', 'There is no such file, or its address is not signed.');
  return row;
}
