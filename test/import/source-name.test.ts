import { describe, expect, it } from 'vitest';
import { sourceNameOf } from '../../src/plan/source-name.ts';

const nameOf = (name: string | undefined, layout: string, recorded?: string) =>
  sourceNameOf({ source: { name } }, layout, { name: recorded, checkpoint: 'c.sqlite' }).name;

describe('the name of a source', () => {
  it.each([
    ['zendesk', 'zendesk'],
    ['zendesk-csv', 'zendesk'],
    ['zendesk-tables', 'zendesk'],
    ['freshdesk-v1', 'freshdesk'],
    ['github-issues', 'github'],
    ['native', 'import'],
    ['export', 'import'],
  ])('of the layout %s is %s', (layout, name) => expect(nameOf(undefined, layout)).toBe(name));

  it("is the user's in a checkpoint without one", () => {
    expect(nameOf('brand-b', 'zendesk')).toBe('brand-b');
  });

  it("is the checkpoint's if the user gives no name, with any layout", () => {
    expect(nameOf(undefined, 'native', 'zendesk')).toBe('zendesk');
  });

  it('is refused if the checkpoint was begun with another one, with both names and the way out', () => {
    expect(() => nameOf('brand-b', 'zendesk', 'zendesk')).toThrow(
      expect.objectContaining({
        code: 'checkpoint',
        message: 'The checkpoint c.sqlite belongs to the source "zendesk", not to "brand-b".',
        hint: expect.stringContaining('--set source.name=zendesk'),
      }),
    );
  });
});
