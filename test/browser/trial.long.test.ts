/** The pages of a trial in Chromium, without a script: marks, two tabs, hostile texts on both sides, a long thread. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TOKEN } from '../sandbox/running-sandbox.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectHarmless, HIT } from '../support/browser-harmless.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine, startCommandLine } from '../support/command-line.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import { type LoggedSandbox, startLogged } from '../support/logged-sandbox.ts';

const LONG = 500;

function writeTickets(path: string): void {
  const hostile = hostileTexts(HIT);
  const time = (at: number) => new Date(Date.UTC(2024, 0, 1) + at * 60_000).toISOString();
  const contact = { email: 'ann@example.com', name: hostile[0] };
  const said = (content: string, at: number, contentType = 'text') => ({
    ...{ actorType: 'customer', contact, content, contentType, occurredAt: time(at) },
  });
  const tickets = Array.from({ length: 8 }, (_, nth) => {
    const texts = nth === 0 ? hostile : [`Hello ${nth}`];
    const messages =
      nth === 1
        ? Array.from({ length: LONG }, (__, at) => said(`Line ${at}`, at))
        : texts.map((text, at) => said(text, at, at % 2 === 0 ? 'html' : 'markdown'));
    const subject = nth === 0 ? `Hostile ${hostile[1]}` : `Ticket ${nth}`;
    return JSON.stringify({
      id: `t${nth}`,
      subject,
      contact,
      createdAt: time(nth),
      note: hostile[2],
      messages,
    });
  });
  writeFileSync(path, `${tickets.join('\n')}\n`);
}

describeInBrowser('a trial in a browser', (browser) => {
  const folder = temporaryFolder();
  let service: LoggedSandbox;
  let running: ReturnType<typeof startCommandLine>;
  let address = '';
  let origin = '';
  beforeAll(async () => {
    writeTickets(folder.join('export.jsonl'));
    service = await startLogged({ clock: hurriedClock, auth: { token: TOKEN } });
    const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token };
    running = startCommandLine(['run', 'export.jsonl', '--trial', '--serve', '--set', 'run.timeout=1'], {
      cwd: folder.path,
      env,
    });
    [, address = ''] = await running.shown(/sign it: (\S+)/);
    origin = new URL(address).origin;
  }, 60_000);
  afterAll(async () => {
    running.kill('SIGINT');
    await running.result;
    await service.close();
    folder[Symbol.dispose]();
  });

  it('a person marks and signs without a script, and a reload keeps the mark', async () => {
    const { page, witnessed } = await browser.page({ plain: true });
    await page.goto(address);
    expect(page.url()).toBe(`${origin}/`);
    await page.getByLabel('Your name').fill('Nora Kim');
    await page.getByRole('button', { name: /^Begin with/ }).click();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await page.getByRole('button', { name: 'Right' }).click();
    // The other tab shows the same ticket: its mark is the latest one.
    const shown = other.url();
    await other.getByText('Wrong, because').click();
    await other.getByLabel('who can read it').check();
    await other.getByRole('button', { name: 'Mark it wrong' }).click();
    await page.goto(shown);
    await page.reload();
    expect(await page.locator('#mark').innerText()).toContain('You marked it wrong.');
    await other.close();
    for (let nth = 1; nth < 8; nth++) {
      await page.goto(`${origin}/`);
      await page
        .getByRole('link', { name: /not looked at/ })
        .first()
        .click();
      await page.getByRole('button', { name: /^✓ Right/ }).click();
    }
    await page.goto(`${origin}/people`);
    await page.getByRole('button', { name: 'Right' }).click();
    expect(await page.locator('h1').innerText()).toBe('8 of 8 tickets looked at, 1 wrong.');
    await page.getByRole('button', { name: 'Sign as Nora Kim' }).click();
    expect(await page.locator('main').innerText()).toContain('Signed.');
    expect(witnessed.errors).toEqual([]);
  }, 300_000);

  it.each([false, true])(
    'hostile texts on both sides run nothing and lead nowhere (phone: %s)',
    async (phone) => {
      const { page, witnessed } = await browser.page({ phone });
      await page.goto(address);
      const url = `${origin}/ticket/t0`;
      await page.goto(url);
      await expectHarmless(page, witnessed, { url, home: origin });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    },
  );

  it('of 500 messages it shows both ends, and the rest 20 at a time', async () => {
    const { page } = await browser.page({ plain: true });
    await page.goto(address);
    await page.goto(`${origin}/ticket/t1`);
    expect(await page.locator('.pair').count()).toBe(1 + 12);
    await page.getByRole('link', { name: /^Show the first 20/ }).click();
    expect(await page.locator('.pair').count()).toBe(1 + 20);
    await page.getByRole('link', { name: 'Next 20' }).click();
    expect(await page.locator('#m29').count()).toBe(1);
  });

  it('a wrong mark is seen by status, by a run that goes on, and by the report', async () => {
    const where = {
      cwd: folder.path,
      env: { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token },
    };
    const status = async () => (await commandLine(['status'], where)).stdout.replaceAll(/\s+/g, ' ');
    expect(await status()).toContain('1 wrong: t');
    expect((await commandLine(['run', 'export.jsonl', '--yes'], where)).code).toBe(0);
    const said = 'Imported although tickets were marked wrong.';
    expect(await status()).toContain(said);
    await commandLine(['report', 'export.jsonl', '-o', 'r.html'], where);
    const { page } = await browser.page({ plain: true });
    await page.goto(pathToFileURL(folder.join('r.html')).href);
    expect(await page.locator('body').innerText()).toContain(said);
  }, 60_000);
});
