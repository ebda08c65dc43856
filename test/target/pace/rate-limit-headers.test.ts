import { describe, expect, it } from 'vitest';
import {
  type Headers,
  parseRateLimit,
  type RateLimitNews,
  type Slowdown,
  slowdown,
} from '../../../src/target/pace/rate-limit-headers.ts';

const now = Date.UTC(2025, 5, 2, 8, 0, 0);

describe('rate-limit headers', () => {
  it.each<[Headers, RateLimitNews | undefined]>([
    [{}, undefined],
    [{ 'content-type': 'application/json' }, undefined],
    [
      {
        'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400',
        ratelimit: '"daily";r=900;t=500, "burst";r=5;t=10',
      },
      {
        policies: [
          { requests: 100, seconds: 60 },
          { requests: 1000, seconds: 86_400 },
        ],
        remaining: 5,
        resetMs: 10_000,
      },
    ],
    [
      { 'ratelimit-policy': '100;w=60', ratelimit: 'limit=100, remaining=5, reset=10' },
      { policies: [{ requests: 100, seconds: 60 }], limit: 100, remaining: 5, resetMs: 10_000 },
    ],
    [
      { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '3' },
      { policies: [], limit: 100, remaining: 7, resetMs: 3_000 },
    ],
    [
      {
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': '7',
        'x-ratelimit-reset': String(now / 1000 + 20),
      },
      { policies: [], limit: 100, remaining: 7, resetMs: 20_000 },
    ],
    [
      {
        'x-rate-limit-limit': '100',
        'x-rate-limit-remaining': '7',
        'x-rate-limit-reset': String(now + 20_000),
      },
      { policies: [], limit: 100, remaining: 7, resetMs: 20_000 },
    ],
    [{ 'x-ratelimit-remaining': 'plenty', 'x-ratelimit-limit': '-1' }, undefined],
    [
      { 'ratelimit-policy': 'q=;w=x', 'x-ratelimit-remaining': ['3', '4'] },
      { policies: [], remaining: 3 },
    ],
  ])('%j', (headers, expected) => {
    expect(parseRateLimit(headers, now)).toEqual(expected);
  });

  const budgets = [{ requests: 1000, seconds: 60 }];
  const spacing = 60.48;
  it.each<[string, RateLimitNews, Slowdown | undefined]>([
    ['a policy as wide as ours changes nothing', { policies: [{ requests: 1000, seconds: 60 }] }, undefined],
    ['a wider one changes nothing', { policies: [{ requests: 9000, seconds: 60 }] }, undefined],
    ['a stricter one sets the spacing', { policies: [{ requests: 100, seconds: 60 }] }, { spacingMs: 600 }],
    [
      'nothing left holds until the reset',
      { policies: [], limit: 1000, remaining: 0, resetMs: 4_000 },
      { holdMs: 4_000 },
    ],
    [
      'little left of a foreign limit is spread',
      { policies: [], limit: 500, remaining: 10, resetMs: 4_000 },
      { spacingMs: 400, forMs: 4_000 },
    ],
    [
      'little left of a limit that we keep is what full use looks like',
      { policies: [], limit: 1000, remaining: 3, resetMs: 60_000 },
      undefined,
    ],
    ['enough left changes nothing', { policies: [], limit: 500, remaining: 400, resetMs: 60_000 }, undefined],
    [
      'what we would not use up anyway changes nothing',
      { policies: [], limit: 500, remaining: 90, resetMs: 4_000 },
      undefined,
    ],
    ['without a reset it says too little', { policies: [], limit: 500, remaining: 1 }, undefined],
  ])('%s', (_name, news, expected) => {
    expect(slowdown(news, budgets, spacing)).toEqual(expected);
  });
});
