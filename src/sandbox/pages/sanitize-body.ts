/**
 * Html and markdown of a body as html that only formats text: no scripts, styles, forms, ids, classes, or requests.
 * The first of two defences; the second is the frame it is shown in (body-frame.ts). Pure.
 */
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

const SANITIZER: sanitizeHtml.IOptions = {
  allowedTags: [
    ...[
      'p',
      'br',
      'hr',
      'div',
      'span',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'blockquote',
      'pre',
      'code',
      'samp',
    ],
    ...[
      'b',
      'strong',
      'i',
      'em',
      'u',
      's',
      'del',
      'ins',
      'small',
      'sub',
      'sup',
      'mark',
      'abbr',
      'cite',
      'q',
      'kbd',
    ],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'a', 'img'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
  ],
  allowedAttributes: {
    '*': ['dir'],
    a: ['href', 'rel', 'target'],
    img: ['src', 'alt'],
    ol: ['start'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['data'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nonTextTags: ['script', 'style', 'textarea', 'option', 'title', 'noscript', 'template'],
  nestingLimit: 100,
  transformTags: {
    a: (_, attributes) => link(attributes),
    img: (_, attributes) => picture(attributes),
  },
};

/** Opens a tab of its own. An address without a scheme would lead into these pages, and is left out. */
function link({ href, ...rest }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const kept = href !== undefined && HAS_SCHEME.test(href.trim()) ? { href } : {};
  return {
    tagName: 'a',
    attribs: { ...rest, ...kept, rel: 'noopener noreferrer nofollow', target: '_blank' },
  };
}

const HAS_SCHEME = /^(?:https?:\/\/|mailto:)/i;

/** A picture that is in the body itself, of a kind that is only a picture. */
const OWN_PICTURE = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp);base64,[a-z\d+/=\s]+$/i;

/**
 * Pictures from elsewhere are not loaded: their address would tell the sender who looks at the ticket, and when.
 * What stands in their place says so.
 */
function picture(attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const alt = attributes['alt']?.trim().slice(0, 100) ?? '';
  const src = attributes['src'] ?? '';
  if (OWN_PICTURE.test(src)) return { tagName: 'img', attribs: { src, alt } };
  const host = /^(?:https?:)?\/\/([^/?#\s]{1,100})/i.exec(src)?.[1];
  const where = host === undefined ? 'picture' : `picture on ${host}`;
  return {
    tagName: 'samp',
    attribs: {},
    text: alt === '' ? `${where}, not loaded` : `${alt} (${where}, not loaded)`,
  };
}

/** Raw html is let through here because all of it is sanitized below, as if it had been sent as html. */
const MARKDOWN = new MarkdownIt({ html: true, linkify: true, breaks: true });

export function sanitizedHtml(content: string): string {
  return sanitizeHtml(content, SANITIZER);
}

export function markdownAsHtml(content: string): string {
  return sanitizedHtml(MARKDOWN.render(content));
}
