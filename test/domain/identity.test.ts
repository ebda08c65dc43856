import { describe, expect, it } from 'vitest';
import { hasTag, identityTag, readIdentityTag, sourceTag } from '../../src/domain/identity.ts';

describe('the identity of a ticket as a tag', () => {
  it.each([
    ['zendesk', '1041', 'zendesk-1041'],
    ['zendesk', 'a_b.c-d', 'zendesk-a_b.c-d'],
    ['jira', 'SUP-12', 'jira-SUP-12'],
    ['ci-42', '7', 'ci-42-7'],
  ])('is readable where the id allows it: %s, %s', (source, id, tag) => {
    expect(identityTag(source, id)).toBe(tag);
  });

  it.each(['sup-12', 'AbC', 'a,b', 'a b', '', '-x', 'ä', '#1', 'x'.repeat(65), 'sup-12 ', 'line\nbreak'])(
    'is a hash where case, commas or white space could make it another one: %j',
    (id) => {
      expect(identityTag('zendesk', id)).toMatch(/^zendesk--[0-9a-f]{20}$/);
    },
  );

  it('differs for ids that differ, even if the helpdesk folds case', () => {
    const ids = ['1', '01', '1 ', 'a', 'A', 'SUP-1', 'sup-1', 'Sup-1', 'a,b', 'a, b', 'a-b', 'a_b', ''];
    expect(new Set(ids.map((id) => identityTag('s', id).toLowerCase())).size).toBe(ids.length);
  });

  it('is found among the tags that a helpdesk tells, as texts or as objects', () => {
    expect(hasTag(['imported', 'Zendesk-1041 '], 'zendesk-1041')).toBe(true);
    expect(hasTag([{ name: 'zendesk-1041' }], 'zendesk-1041')).toBe(true);
    expect(hasTag(['zendesk-10411'], 'zendesk-1041')).toBe(false);
    expect(hasTag('zendesk-1041', 'zendesk-1041')).toBe(false);
    expect(hasTag(undefined, sourceTag('zendesk'))).toBe(false);
  });
});

describe('the external id that tags tell', () => {
  it.each([
    [['imported', 'zendesk-1041', 'from-zendesk'], '1041'],
    [['Zendesk-1041'], '1041'],
    [['zendesk-sup-12'], 'SUP-12'],
    [['zendesk-SUP-12'], 'SUP-12'],
    [[{ name: 'zendesk-42_a' }], '42_a'],
    [['zendesk--0123456789abcdef0123'], undefined],
    [['zendesk-1', 'zendesk-2'], undefined],
    [['freshdesk-1'], undefined],
    [undefined, undefined],
  ])('%j → %s', (tags, id) => {
    expect(readIdentityTag('zendesk', tags, new Map())).toBe(id);
  });

  it('every tag is recognised by an export that has its ticket', () => {
    const ids = ['1', 'SUP-12', 'sup-12', 'a b', 'Größe', 'X', ''];
    const known = new Map(ids.map((id) => [identityTag('acme', id).toLowerCase(), id]));
    for (const id of ids) expect(readIdentityTag('acme', [identityTag('acme', id)], known)).toBe(id);
  });
});
