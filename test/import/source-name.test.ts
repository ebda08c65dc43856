import { describe, expect, it } from 'vitest';
import { platformOf, SourceName } from '../../src/import/source-name.ts';

describe('the name of a source', () => {
  it.each([
    ['zendesk', 'zendesk'],
    ['zendesk-csv', 'zendesk'],
    ['zendesk-tables', 'zendesk'],
    ['freshdesk-v1', 'freshdesk'],
    ['github-issues', 'github'],
    ['native', 'import'],
    ['ticket-rows', 'import'],
    ['message-rows', 'import'],
  ])('of the layout %s is %s', (layout, name) => expect(platformOf(layout)).toBe(name));

  it("is the user's in a checkpoint without one", () => {
    const name = new SourceName('brand-b', 'zendesk');
    name.settle(undefined, 'c.sqlite');
    expect(name.name).toBe('brand-b');
  });

  it("is the checkpoint's if the user gives no name, with any layout", () => {
    const name = new SourceName(undefined, 'import');
    name.settle('zendesk', 'c.sqlite');
    expect(name.name).toBe('zendesk');
  });

  it('is refused if the checkpoint was begun with another one, with both names and the way out', () => {
    const name = new SourceName('brand-b', 'zendesk');
    expect(() => name.settle('zendesk', 'c.sqlite')).toThrow(
      expect.objectContaining({
        code: 'checkpoint',
        message: 'The checkpoint c.sqlite belongs to the source "zendesk", not to "brand-b".',
        hint: expect.stringContaining('--set source.name=zendesk'),
      }),
    );
  });
});
