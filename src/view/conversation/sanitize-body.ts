/**
 * Message bodies as HTML that only formats text: no scripts, styles, forms, IDs, classes or requests. The first of two
 * defences; the second is the sandboxed frame. On a `page` of the local service links open a tab, and pictures in the body
 * show. In a `document` (the report), which goes from hand to hand, links are named and lead nowhere, and pictures are words.
 * Pure.
 */
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import type { ContentType } from '../../domain/payload.ts';

export type BodyPlace = 'page' | 'document';

const FORMATTING = (
  'p br hr div span h1 h2 h3 h4 h5 h6 blockquote pre code samp ' +
  'b strong i em u s del ins small sub sup mark abbr cite q kbd ' +
  'ul ol li dl dt dd table caption thead tbody tfoot tr td th a'
).split(' ');

const SPANS = ['colspan', 'rowspan'];
const ATTRIBUTES = { '*': ['dir'], ol: ['start'], td: SPANS, th: SPANS };

const COMMON: sanitizeHtml.IOptions = {
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nonTextTags: ['script', 'style', 'textarea', 'option', 'title', 'noscript', 'template'],
  nestingLimit: 100,
};

const RULES: Readonly<Record<BodyPlace, sanitizeHtml.IOptions>> = {
  page: {
    ...COMMON,
    allowedTags: [...FORMATTING, 'img'],
    allowedAttributes: { ...ATTRIBUTES, a: ['href', 'rel', 'target'], img: ['src', 'alt'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['data'] },
    transformTags: {
      a: (_, attributes) => openLink(attributes),
      img: (_, attributes) => picture(attributes),
    },
  },
  document: {
    ...COMMON,
    allowedTags: FORMATTING,
    allowedAttributes: { ...ATTRIBUTES, a: ['title'] },
    allowedSchemes: [],
    transformTags: {
      a: (_, { href }) => ({
        tagName: 'a',
        attribs: href === undefined ? {} : { title: href.slice(0, 300) },
      }),
      img: (_, attributes) => pictureInWords(attributes, 'not shown'),
    },
  },
};

/** An address without a scheme would lead into these pages, and is left out. */
function openLink({ href = '', ...rest }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const kept = /^(?:https?:\/\/|mailto:)/i.test(href.trim()) ? { href } : {};
  return {
    tagName: 'a',
    attribs: { ...rest, ...kept, rel: 'noopener noreferrer nofollow', target: '_blank' },
  };
}

const OWN_PICTURE = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp);base64,[a-z\d+/=\s]+$/i;

function picture(attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const address = attributes['src'] ?? '';
  const src = ownPath(address) ?? (OWN_PICTURE.test(address) ? address : undefined);
  return src === undefined
    ? pictureInWords(attributes, 'not loaded')
    : { tagName: 'img', attribs: { src, alt: altOf(attributes) } };
}

/** A file of the local service, at whichever port. */
export function ownPath(address: string): string | undefined {
  const url = URL.parse(address);
  const isOwn = url?.protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return isOwn && /^\/(?:kept-files|files)\/[\w.%/-]+$/.test(url.pathname) ? url.pathname : undefined;
}

/** Loading a picture would tell its sender who reads the ticket, and when. */
function pictureInWords(attributes: sanitizeHtml.Attributes, why: string): sanitizeHtml.Tag {
  const alt = altOf(attributes);
  const host = /^(?:https?:)?\/\/([^/?#\s]{1,100})/i.exec(attributes['src'] ?? '')?.[1];
  const where = `picture${host === undefined ? '' : ` on ${host}`}, ${why}`;
  return { tagName: 'samp', attribs: {}, text: alt === '' ? where : `${alt} (${where})` };
}

function altOf(attributes: sanitizeHtml.Attributes): string {
  return attributes['alt']?.trim().slice(0, 100) ?? '';
}

/** Raw HTML passes here because all of it is sanitized below. */
const MARKDOWN = new MarkdownIt({ html: true, linkify: true, breaks: true });

export function sanitizedBody(
  content: string,
  contentType: Exclude<ContentType, 'text'>,
  place: BodyPlace,
): string {
  const text = content.toWellFormed();
  return sanitizeHtml(contentType === 'markdown' ? MARKDOWN.render(text) : text, RULES[place]);
}
