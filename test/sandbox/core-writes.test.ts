import { describe, expect, it } from 'vitest';
import { running } from './running-sandbox.ts';

it('both prefixes are served', async () => {
  const sandbox = await running();
  const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' };
  const ticket = { method: 'POST', headers, body: JSON.stringify({ subject: 'Hello' }) };
  expect((await fetch(`${sandbox.url}/v1/tickets`, ticket)).status).toBe(201);
});

describe('contacts', () => {
  it('are matched by the trimmed and lowercased e-mail, and updated with a name that is not empty', async () => {
    const sandbox = await running();
    const names = ['Ann', '', undefined, 'Ann Lee', '  '];
    for (const [index, name] of names.entries()) {
      const email = index % 2 === 0 ? 'ANN@example.com' : ' ann@Example.com';
      await sandbox.create({
        subject: `T${index}`,
        contact: { email, ...(name === undefined ? {} : { name }) },
      });
    }
    const { body } = await sandbox.call('GET', '/contacts');
    expect(body).toMatchObject({
      total: 1,
      contacts: [{ email: 'ann@example.com', name: 'Ann Lee' }],
    });
  });

  it('are one each, however many requests create them at once', async () => {
    const sandbox = await running();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        sandbox.create({ subject: `T${index}`, contact: { email: `c${index % 5}@example.com` } }),
      ),
    );
    expect(sandbox.store.contacts.list({ offset: 0, take: 100 }).total).toBe(5);
  });
});
