/** A message's files: name, kind and size, each a link to where it lies. Nothing is loaded before it is clicked. */
import { html } from 'hono/html';
import type { AttachmentPayload } from '../../domain/payload.ts';
import { fileSize } from './page-parts.ts';
import type { Markup } from './page-shell.ts';

export function attachmentLinks(attachments: readonly AttachmentPayload[]): Markup | string {
  if (attachments.length === 0) return '';
  return html`<ul class="files" aria-label="Attachments">${attachments.map((attachment) => html`<li>${link(attachment)}</li>`)}</ul>`;
}

/** The schemas let http and https in only, so an address is no script. */
function link(attachment: AttachmentPayload): Markup {
  const name = attachment.name?.trim() || nameIn(attachment.url);
  const { contentType, sizeBytes } = attachment;
  const about = [
    contentType === undefined ? undefined : (contentType.split(';')[0] ?? '').trim(),
    sizeBytes === undefined ? undefined : fileSize(sizeBytes),
  ].filter((part) => part !== undefined && part !== '');
  return html`<a href="${attachment.url}" title="${attachment.url}" rel="noopener noreferrer nofollow" target="_blank">
<span class="kind ${kindOf(contentType ?? '', name)}" aria-hidden="true">${extension(name)}</span>
<span><span class="name"><bdi>${name}</bdi></span><span class="about">${about.join(' · ')}</span></span></a>`;
}

function nameIn(url: string): string {
  const last = url.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || url;
  } catch {
    return last || url;
  }
}

/** `PDF`; `FILE` where a name ends in none. */
export function extension(name: string): string {
  return /\.([a-z\d]{1,4})$/i.exec(name)?.[1]?.toUpperCase() ?? 'FILE';
}

function kindOf(contentType: string, name: string): string {
  if (contentType.startsWith('image/') || /^(?:PNG|JPE?G|GIF|WEBP|HEIC|SVG)$/.test(extension(name)))
    return 'image';
  if (/^(?:video|audio)\//.test(contentType)) return 'media';
  return /pdf|text|word|sheet|document|presentation|csv/.test(contentType) ? 'document' : '';
}
