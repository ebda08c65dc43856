import { describe, expect, it } from 'vitest';
import { errorBody } from '../../src/helpdesk/answers.ts';
import type { Answer } from '../../src/helpdesk/http.ts';
import { redact } from '../../src/helpdesk/secrets.ts';

const answer = (body: string): Answer => ({
  type: 'answer',
  status: 400,
  headers: {},
  body: Buffer.from(body),
});

describe('what a service says', () => {
  it.each([
    ['{"error":"bad","message":"No subject"}', { error: 'bad', detail: 'bad: No subject' }],
    ['{"error":"bad","message":"bad"}', { error: 'bad', detail: 'bad' }],
    ['{"error":{"code":"E1","message":"No subject"}}', { error: 'E1', detail: 'E1: No subject' }],
    [
      '{"error":"invalid_grant","error_description":"expired"}',
      { error: 'invalid_grant', detail: 'invalid_grant: expired' },
    ],
    ['{"message":"x","details":[{"path":"a"}]}', { detail: 'x: [{"path":"a"}]' }],
    ['{"errors":["a","b"]}', { detail: '["a","b"]' }],
    ['"just text"', { detail: 'just text' }],
    ['plain\ntext', { detail: 'plain text' }],
    ['<html>…</html>', {}],
    ['', {}],
    ['null', {}],
    ['{}', {}],
  ])('%s', (body, expected) => {
    expect(errorBody(answer(body), [])).toEqual(expected);
  });

  it.each([
    ['the token abcdef123456 is bad', 'the token [secret] is bad'],
    ['url-encoded a%2Bb%3Dcdef here', 'url-encoded [secret] here'],
    ['Authorization: Bearer zzzzzzzzzzzz', 'Authorization: [secret]'],
    ['{"refresh_token":"qqqqqq","x":1}', '{"refresh_token":"[secret]","x":1}'],
    ['client_secret=qqqqqq&x=1', 'client_secret=[secret]&x=1'],
    ['nothing to hide', 'nothing to hide'],
    ['the bearer of bad news', 'the bearer of bad news'],
  ])('%s → %s', (text, clean) => {
    expect(redact(text, ['abcdef123456', 'a+b=cdef', 'x'])).toBe(clean);
  });
});
