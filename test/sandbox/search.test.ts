import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, running, runningOn } from './running-sandbox.ts';

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
  let sandbox: RunningSandbox;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    sandbox = await runningOn();
    for (const [name, subject] of Object.entries(SUBJECTS)) ids.set(await sandbox.create({ subject }), name);
  });
  afterAll(() => sandbox.close());

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
    ['nothing', []],
    ['words : refund', []],
    ['refund NOT order', []],
    ['"', []],
    ['\u0000', []],
    ['\u0001\u0002', []],
  ])('%j in the right subjects only', async (search, found) => {
    const { tickets } = (await sandbox.call('GET', `/tickets?search=${encodeURIComponent(search)}`)).body;
    expect(tickets.map((ticket: { id: string }) => ids.get(ticket.id)).toSorted()).toEqual(found.toSorted());
  });
});

it.each(['tags', 'search'])('thousands of values of %s in a query string are answered', async (name) => {
  const sandbox = await running();
  await sandbox.create({ subject: 'a' });
  const values = Array.from({ length: 3000 }, (_, nth) => nth.toString(36)).join(name === 'tags' ? ',' : '+');
  const { status, body } = await sandbox.call('GET', `/tickets?${name}=${values}`);
  expect([status, body.tickets]).toEqual([200, []]);
});
