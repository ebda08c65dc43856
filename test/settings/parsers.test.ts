import { describe, expect, it } from 'vitest';
import {
  durationInSeconds,
  isLoopback,
  type Parsed,
  parseDelimiter,
  parseIdList,
  parseMaxErrors,
  parsePeriod,
  parseRate,
  parseServiceUrl,
  parseTimeZone,
  wholeNumber,
} from '../../src/settings/parsers.ts';

/** The value, or the complaint as a text that begins with a cross. */
function outcome<T>(parsed: Parsed<T>): T | string {
  return 'value' in parsed ? parsed.value : `✗ ${parsed.problem}`;
}

const problem = (text: string) => expect.stringContaining(`✗ ${text}`);

describe('numbers', () => {
  it.each([
    ['1', 1],
    ['10000', 10_000],
    ['0', problem('must be a whole number from 1 to 10000, not "0"')],
    ['10001', problem('must be')],
    ['٣', problem('must be')],
    ['9'.repeat(400), problem('must be')],
  ])('wholeNumber %j', (text, expected) => {
    expect(outcome(wholeNumber(1, 10_000)(text))).toEqual(expected);
  });

  it.each([
    ['1000/60', { requests: 1000, seconds: 60 }],
    ['250 / 5', { requests: 250, seconds: 5 }],
    ['1/0.5', { requests: 1, seconds: 0.5 }],
    ['1000', problem('must be requests/seconds, such as 1000/60')],
    ['0/60', problem('must be')],
  ])('rate %j', (text, expected) => {
    expect(outcome(parseRate(text))).toEqual(expected);
  });

  it.each([
    ['0', { kind: 'count', count: 0 }],
    ['50', { kind: 'count', count: 50 }],
    ['5%', { kind: 'percent', percent: 5 }],
    ['0.5 %', { kind: 'percent', percent: 0.5 }],
    ['101%', problem('must be a number of tickets, such as 50, or a share from 0% to 100%')],
  ])('max-errors %j', (text, expected) => {
    expect(outcome(parseMaxErrors(text))).toEqual(expected);
  });

  it.each([
    ['30', 30],
    ['0.5', 0.5],
    ['500ms', 0.5],
    ['10m', 600],
    ['1h', 3600],
    ['24h', 86_400],
    ['0', problem('must be seconds from 0.5 to 86400, such as 30 or 10m, not "0"')],
    ['1.2.3', problem('must be')],
    ['86401', problem('must be')],
  ])('seconds %j', (text, expected) => {
    expect(outcome(durationInSeconds(0.5, 86_400)(text))).toEqual(expected);
  });
});

describe('times', () => {
  const at = (begin: string, end = begin) => ({ begin: Date.parse(begin), end: Date.parse(end) });
  it.each([
    ['2024-03-31T10:00:00Z', undefined, at('2024-03-31T10:00:00Z')],
    ['2024-03-31 12:00+0200', undefined, at('2024-03-31T10:00:00Z')],
    ['2024-03-31', undefined, at('2024-03-31T00:00:00Z', '2024-04-01T00:00:00Z')],
    // The clocks go forward that night: the day has 23 hours.
    ['2024-03-31', 'Europe/Berlin', at('2024-03-30T23:00:00Z', '2024-03-31T22:00:00Z')],
    ['2024-02', undefined, at('2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z')],
    ['2024', undefined, at('2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z')],
    ['2024-07-01T10:00', 'Europe/Berlin', at('2024-07-01T08:00:00Z')],
    ['2024-07-01T10:00', undefined, problem('has no time zone: add Z or an offset')],
    ['2024-02-30', undefined, problem('must be a time that exists')],
    ['yesterday', undefined, problem('must be a time that exists')],
  ])('%j in zone %j', (text, zone, expected) => {
    expect(outcome(parsePeriod(text, zone))).toEqual(expected);
  });
});

describe('texts', () => {
  it.each([
    ['https://helpdesk.example.com/', 'https://helpdesk.example.com'],
    [' http://localhost:8080/x/ ', 'http://localhost:8080/x'],
    ['helpdesk.example.com', problem('must be an address such as')],
    ['https://example.com?x=1', problem('must not have a query')],
    ['https://a:b@example.com', problem('must not hold a user name or password')],
  ])('base URL %j', (text, expected) => {
    expect(outcome(parseServiceUrl(text))).toEqual(expected);
  });

  it.each([
    ['http://127.0.0.1:80', true],
    ['http://[::1]:80', true],
    ['http://127.0.0.1.example.com', false],
    ['https://example.com', false],
  ])('isLoopback %j', (url, expected) => {
    expect(isLoopback(url)).toBe(expected);
  });

  it.each([
    [',', ','],
    ['tab', '\t'],
    ['Semicolon', ';'],
    ['\\t', '\t'],
    ['constructor', problem('must be one character')],
    ['"', problem('must be one character')],
  ])('delimiter %j', (text, expected) => {
    expect(outcome(parseDelimiter(text))).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['+02:00', '+02:00'],
    [
      'Berlin',
      problem(
        'must be a time zone such as Europe/Berlin or UTC, not "Berlin". Did you mean "Europe/Berlin"?',
      ),
    ],
    ['Europe/Berln', expect.stringContaining('Did you mean "Europe/Berlin"?')],
  ])('time zone %j', (text, expected) => {
    expect(outcome(parseTimeZone(text))).toEqual(expected);
  });

  it.each([
    ['1, 2 ,,3', ['1', '2', '3']],
    [' , ', problem('names no ticket')],
  ])('ids %j', (text, expected) => {
    expect(outcome(parseIdList(text))).toEqual(expected);
  });
});
