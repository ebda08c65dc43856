import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DATA_FILE, openDatabase, Sql } from '../../src/sandbox/store/database.ts';
import { MIGRATIONS } from '../../src/sandbox/store/migrations.ts';
import { searchableMarks, searchableWords } from '../../src/sandbox/store/search.ts';
import { TicketList } from '../../src/sandbox/store/ticket-list.ts';
import { running } from './running-sandbox.ts';

const SUBJECTS = {
  japanese: '返品した商品の返金について',
  kana: 'ログインできません',
  chinese: '我的订单还没有发货 退款',
  thai: 'ขอคืนเงินสำหรับคำสั่งซื้อ',
  korean: '전액환불을 요청합니다',
  wide: 'ＡＢＣ－１２３ ﾊﾟｽﾜｰﾄﾞ',
  marks: 'Hello??? → where is it!!',
  emoji: 'Thank you 🎉🎉 so much ❤️',
  plain: 'Refund for order JT-4711 (50% off)',
  accents: 'Événement reporté à Zürich',
};

describe('search finds', () => {
  it.each<[string, (keyof typeof SUBJECTS)[]]>([
    ['返金', ['japanese']],
    ['商品', ['japanese']],
    ['品の返', ['japanese']],
    ['金返', []],
    ['できません', ['kana']],
    ['退款', ['chinese']],
    ['订单', ['chinese']],
    ['คืนเงิน', ['thai']],
    ['환불', ['korean']],
    ['ABC-123', ['wide']],
    ['パスワード', ['wide']],
    ['???', ['marks']],
    ['??', ['marks']],
    ['!', ['marks']],
    ['→ ??', ['marks']],
    ['!??', []],
    ['%', ['plain']],
    ['🎉', ['emoji']],
    ['🎉 ❤️', ['emoji']],
    ['refu JT-4711', ['plain']],
    ['50%', ['plain']],
    ['evenement zur', ['accents']],
    ['und', []],
    ['words : refund', []],
    ['refund NOT order', []],
    ['"', []],
    ['\u0000', []],
    ['\u0001\u0002', []],
  ])('%j in the right subjects only', async (search, found) => {
    const sandbox = await running();
    const ids = new Map<string, string>();
    for (const [name, subject] of Object.entries(SUBJECTS)) ids.set(await sandbox.create({ subject }), name);
    const { tickets } = (await sandbox.call('GET', `/tickets?search=${encodeURIComponent(search)}`)).body;
    expect(tickets.map((ticket: { id: string }) => ids.get(ticket.id)).toSorted()).toEqual(found.toSorted());
  });

  it('contacts by parts of names and addresses, in tickets and in the list of contacts', async () => {
    const sandbox = await running();
    await sandbox.create({ subject: 'A', contact: { email: 'yuki@example.com', name: '佐藤美咲' } });
    await sandbox.create({ subject: 'B', contact: { email: 'lee+test@example.com', name: 'Lee' } });
    const found = async (path: string) => {
      const { body } = await sandbox.call('GET', path);
      return (body.tickets ?? body.contacts).length;
    };
    for (const search of ['美咲', 'yuki', 'yuki@example.com', 'lee+test@ex', 'lee test']) {
      expect(await found(`/tickets?search=${encodeURIComponent(search)}`), search).toBe(1);
      expect(await found(`/contacts?search=${encodeURIComponent(search)}`), search).toBe(1);
    }
    expect(await found(`/contacts?search=${encodeURIComponent('+')}`)).toBe(1);
  });
});

describe('the text of the index', () => {
  it('has letters of scripts without spaces apart, and others untouched', () => {
    expect(searchableWords('Order 返金ok').split(/\s+/)).toEqual(['Order', '返', '金', 'ok']);
    expect(searchableWords('naïve café')).toBe('naïve café');
  });

  it('has a word for each mark, and keeps apart what does not stand together', () => {
    expect(searchableMarks('a?? b!')).toBe('u3f u3f x u21');
    expect(searchableMarks('no marks')).toBe('');
    expect(searchableMarks('?'.repeat(10_000)).split(' ')).toHaveLength(2_000);
  });
});

describe('data of the first version', () => {
  it('is found by the search of this one', () => {
    const dir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    try {
      const old = new Database(join(dir, DATA_FILE));
      old.exec(MIGRATIONS[0] ?? '');
      old.pragma('user_version = 1');
      old.exec(`
        INSERT INTO contacts (seq, email, name, created_at, updated_at) VALUES (1, 'mei@example.com', '李雷', 0, 0);
        INSERT INTO contacts_fts (rowid, words) VALUES (1, '李雷 mei@example.com');
        INSERT INTO tickets (seq, subject, contact_seq, status, priority, created_at, created_ms, read_only,
          received_ms, updated_ms) VALUES (1, '返金について??', 1, 'open', 'normal', '2024-01-01T00:00:00Z', 0, 0, 0, 0);
        INSERT INTO tickets_fts (rowid, subject) VALUES (1, '返金について??');`);
      old.close();
      const database = openDatabase(dir);
      const list = new TicketList(new Sql(database));
      for (const search of ['返金', '??', '雷', 'mei']) expect(list.count({ search }), search).toBe(1);
      expect(list.rows({}, { order: 'newest', take: 9 })).toMatchObject([{ excerpt: null }]);
      database.close();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

it.each(['tags', 'search'])('thousands of values of %s in a query string are answered', async (name) => {
  const sandbox = await running();
  await sandbox.create({ subject: 'a' });
  const values = Array.from({ length: 3000 }, (_, nth) => nth.toString(36)).join(name === 'tags' ? ',' : '+');
  const { status, body } = await sandbox.call('GET', `/tickets?${name}=${values}`);
  expect([status, body.tickets]).toEqual([200, []]);
});
