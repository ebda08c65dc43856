import { describe, expect, it } from 'vitest';
import { extensionFor, judgeAnswer, typeOf } from '../../src/attachments/file-kind.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const JPEG = Buffer.from('ffd8ffe0', 'hex');
const LOGIN = Buffer.from('<!DOCTYPE html><html><form><input type="password"></form></html>');
const PAGE = Buffer.from('<html><h1>Report</h1></html>');
const EXPIRED = Buffer.from('<?xml version="1.0"?><Error><Message>Request has expired</Message></Error>');

const judge = (
  answer: { status?: number; contentType?: string; size?: number; head?: Buffer; address?: string },
  wanted: {
    address?: string;
    role?: 'attachment' | 'picture' | 'link';
    name?: string;
    contentType?: string;
    sizeBytes?: number;
  } = {},
) => {
  const address = wanted.address ?? 'https://x.example/f';
  const verdict = judgeAnswer(
    { advise: () => 'give a credential', status: 200, size: 500, head: PNG, address, ...answer },
    { role: 'attachment', ...wanted, address },
    Date.UTC(2026, 0, 2),
  );
  return verdict.is === 'missing' ? verdict.reason : verdict.is;
};

describe('what an answer is', () => {
  const NOTHING = { size: 0, head: Buffer.alloc(0) };
  const ERROR = { head: Buffer.from('{"error":1}'), contentType: 'application/json' };
  const login = { head: LOGIN, contentType: 'text/html' };
  const page = { head: PAGE, contentType: 'text/html' };
  const picture = { role: 'picture' } as const;
  const ended = { address: 'https://x.example/f?X-Amz-Date=20260101T000000Z&X-Amz-Expires=60' };
  it.each<[string, Parameters<typeof judge>[0], Parameters<typeof judge>[1], string]>([
    ['a file', {}, {}, 'file'],
    ['401', { status: 401 }, {}, 'forbidden'],
    ['404', { status: 404 }, {}, 'gone'],
    ['410', { status: 410 }, {}, 'gone'],
    ['429', { status: 429 }, {}, 'again'],
    ['503', { status: 503 }, {}, 'again'],
    ['400', { status: 400 }, {}, 'unreachable'],
    ['a 403 that says expired', { status: 403, head: EXPIRED }, {}, 'expired'],
    ['a 403 of an address whose time is over', { status: 403 }, ended, 'expired'],
    ['nothing in place of a picture', NOTHING, picture, 'wrong-type'],
    ['nothing in place of a named picture', NOTHING, { name: 'a.png' }, 'wrong-type'],
    ['an empty text', NOTHING, { name: 'a.txt' }, 'file'],
    ['a login page for a picture', login, picture, 'login-page'],
    ['a login page as a picture', { ...login, contentType: 'image/png' }, { name: 'a.png' }, 'login-page'],
    ['a login page for a file of unknown kind', login, {}, 'login-page'],
    ['a page behind a redirect', { ...page, address: 'https://x.example/login' }, {}, 'login-page'],
    ['a page for a PDF', page, { name: 'a.pdf' }, 'login-page'],
    ['an attached html file', { ...page, size: 28 }, { name: 'report.html', sizeBytes: 28 }, 'file'],
    ['an attached file with a login', { ...login, size: 63 }, { name: 'a.html', sizeBytes: 63 }, 'file'],
    ['a login of another size', { ...login, size: 63 }, { name: 'a.html', sizeBytes: 5 }, 'login-page'],
    ['JSON for a picture', ERROR, picture, 'wrong-type'],
    ['JSON for a PDF', ERROR, { name: 'a.pdf' }, 'wrong-type'],
    ['JSON for a JSON file', ERROR, { name: 'a.json' }, 'file'],
    ['a JPEG that was called PNG', { head: JPEG, contentType: 'image/jpeg' }, { name: 'a.png' }, 'file'],
    ['an empty file that was not', NOTHING, { sizeBytes: 5 }, 'wrong-type'],
    ['an empty file', NOTHING, {}, 'file'],
  ])('%s', (_, answer, wanted, is) => {
    expect(judge(answer, wanted)).toBe(is);
  });
});

it.each([
  [PNG, 'application/octet-stream', 'a.jpg', 'image/png'],
  [
    Buffer.from('PK\x03\x04'),
    'application/octet-stream',
    'a.docx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  [Buffer.from('a,b'), 'text/csv; charset=utf-8', undefined, 'text/csv'],
  [Buffer.from('plain'), 'application/octet-stream', 'a.log', 'text/plain'],
  [Buffer.from('plain'), undefined, 'a', 'application/octet-stream'],
])('the type is what the bytes prove, refined by what is declared: %#', (head, header, name, type) => {
  expect(typeOf(head, header, name, undefined)).toBe(type);
});

const ACTIVE_ENDINGS =
  'php PHP php5 phtml phar asp aspx jsp cgi pl py rb sh htm html xhtml shtml hta svg svgz xml xsl xht js mjs wasm swf jar htaccess mht docm exe'.split(
    ' ',
  );
it.each(ACTIVE_ENDINGS)('a file called x.%s is stored as .bin under every type', (ending) => {
  const types = ['application/octet-stream', 'text/html', 'text/plain', 'image/svg+xml', 'application/x-php'];
  for (const type of types)
    expect(extensionFor(type, `x.${ending}`)).toMatch(type === 'text/plain' ? /^\.(bin|log)$/ : /^\.bin$/);
});

it.each([
  ['image/png', 'x.png', '.png'],
  ['image/jpeg', 'X.JPG', '.jpg'],
  ['image/png', 'x.php', '.png'],
  ['text/html', 'x.png', '.bin'],
  ['application/pdf', undefined, '.pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a.docx', '.docx'],
  ['application/octet-stream', 'readme', '.bin'],
  ['application/octet-stream', 'a.php.csv', '.bin'],
  ['text/csv', 'a.php.csv', '.csv'],
])('a file of type %s called %s gets the ending %s', (type, name, ending) => {
  expect(extensionFor(type, name)).toBe(ending);
});
