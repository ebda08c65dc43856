/**
 * The trial as pages to sign, on this computer alone. A page on another port sends our cookie too, so the exact origin and a token of
 * the form are the defence. Each mark opens the checkpoint, writes and closes it, so the page keeps no run out.
 */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { type Mark, PEOPLE_KEY } from '../../checkpoint/marks.ts';
import { AppError } from '../../domain/errors.ts';
import { isSame } from '../../sandbox/credentials.ts';
import { closing, listening } from '../../sandbox/sandbox.ts';
import { MATTERS } from '../../verify/pairs.ts';
import { LOCAL_HEADERS } from '../../view/html/page.ts';
import { type DeskParts, digest, TrialPages } from './desk.ts';
import { type Look, pathOf, ticketContent, trialPage } from './page.ts';

export interface TrialDesk extends AsyncDisposable {
  /** With the key of its pages. */
  readonly url: string;
}

const MOST_FORM_BYTES = 8 * 1024;
const MOST_WORDS = 500;
const MOST_NAME = 80;

type Status = 200 | 400 | 403 | 409 | 503;
interface Complaint {
  readonly complaint: string;
  readonly status: Status;
}
type Show = (complaint?: Complaint) => Response | Promise<Response>;
type Work = Parameters<TrialPages['write']>[0];

const CHANGED: Complaint = {
  complaint: 'This ticket changed while you looked at it. Nothing was marked.',
  status: 409,
};
const BUSY: Complaint = {
  complaint: 'An import is running. Send your mark again when it has ended.',
  status: 503,
};
const AGAIN: Complaint = { complaint: 'Send the form again.', status: 403 };
const refused = (complaint: string): Complaint => ({ complaint, status: 400 });

export async function openTrialDesk(parts: DeskParts): Promise<TrialDesk> {
  const desk = new TrialPages(parts);
  // The page was opened: from now on `status` and the next run speak of the trial.
  await desk.write((signing) => ({ signing }));
  const key = randomBytes(24).toString('base64url');
  const app = new Hono();
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const origin = `http://127.0.0.1:${await listening(server, '127.0.0.1', 0)}`;
  app.use(ownPageOnly(origin, key));
  serve(app, desk);
  return {
    url: `${origin}/?key=${key}`,
    [Symbol.asyncDispose]: () => closing(server),
  };
}

/** The one-time key of the printed address becomes a cookie; a form is sent by these pages alone. */
function ownPageOnly(origin: string, key: string): MiddlewareHandler {
  const { host, port } = new URL(origin);
  const cookie = `trial_${port}`;
  const kept = digest(`cookie ${key}`);
  return async (c, next) => {
    if (c.req.header('host') !== host) return c.text('This page answers to its own address only.', 421);
    const given = c.req.query('key');
    if (given !== undefined && isSame(given, key)) {
      setCookie(c, cookie, kept, { path: '/', httpOnly: true, sameSite: 'Strict' });
      return c.redirect(c.req.path);
    }
    if (!isSame(getCookie(c, cookie) ?? '', kept))
      return c.text('Open the address that the run printed.', 401);
    const site = c.req.header('sec-fetch-site') ?? 'same-origin';
    if (c.req.method === 'POST' && (c.req.header('origin') !== origin || site !== 'same-origin'))
      return c.text('This form is of another page.', 403);
    return await next();
  };
}

function serve(app: Hono, desk: TrialPages): void {
  const page = (
    c: Context,
    path: string,
    title: string,
    content: Parameters<typeof trialPage>[3],
    status: Status = 200,
  ) => c.html(trialPage(desk.state(), path, title, content), status, LOCAL_HEADERS);
  const overview = (c: Context, said?: Complaint) => {
    const about = { isAsking: c.req.query('who') !== undefined, complaint: said?.complaint };
    return page(c, '/', 'Overview', desk.overview(desk.state(), about), said?.status);
  };
  const people = async (c: Context, said?: Complaint) =>
    page(c, '/people', 'People', await desk.people(desk.state(), said?.complaint), said?.status);
  const ticket = (c: Context, view: Look, said?: Complaint) => {
    const path = pathOf(view.old.externalId);
    const from = /^\d{1,7}$/.exec(c.req.query('from') ?? '')?.[0];
    const shown = {
      ...view,
      token: desk.token(path, view.saw),
      complaint: said?.complaint,
      from: from === undefined ? undefined : Number(from),
    };
    const isCut = view.unread?.mayMark === false;
    return page(
      c,
      path,
      `#${view.old.externalId}`,
      ticketContent(desk.state(), shown),
      said?.status ?? (isCut ? 503 : 200),
    );
  };
  app.get('/', (c) => overview(c));
  app.get('/people', (c) => people(c));
  app.on(['GET', 'POST'], '/ticket/:id', async (c) => {
    const at = desk.tickets.findIndex(({ externalId }) => externalId === c.req.param('id'));
    const old = desk.tickets[at];
    if (old === undefined) return c.text('No such ticket in this trial.', 404);
    const view = await desk.viewOf(old);
    if (c.req.method === 'GET' || view.unread?.mayMark === false) return ticket(c, view);
    const key = old.externalId;
    const seen = { path: pathOf(key), saw: view.saw, found: desk.differencesOf(key) };
    const next = desk.tickets[at + 1];
    return await written(c, desk, (said) => ticket(c, view, said), {
      work: marking(key, desk, await formOf(c), seen),
      to: next === undefined ? '/people' : pathOf(next.externalId),
    });
  });
  app.post('/people', async (c) => {
    const seen = { path: '/people', saw: desk.peopleSaw(), found: 0 };
    const work = marking(PEOPLE_KEY, desk, await formOf(c), seen);
    return await written(c, desk, (said) => people(c, said), { work, to: '/' });
  });
  app.post('/who', async (c) => {
    const form = await formOf(c);
    const who = form?.get('who')?.trim().slice(0, MOST_NAME) ?? '';
    const work: Work | Complaint = !isOurs(form, desk.token('/'))
      ? AGAIN
      : who === ''
        ? refused('Write your name.')
        : (signing) => ({ signing: { ...signing, who } });
    const to = pathOf(desk.tickets[0]?.externalId ?? '');
    return await written(c, desk, (said) => overview(c, said), { work, to });
  });
  app.post('/sign', async (c) => {
    const { marks, shapes, who } = desk.state();
    const isWhole = marks.size === desk.tickets.length + 1 && ![...shapes.values()].includes('changed');
    const work: Work | Complaint = !isOurs(await formOf(c), desk.token('/'))
      ? AGAIN
      : !isWhole || who === undefined
        ? refused('Look at every ticket and at the people first.')
        : (signing) => ({ signing: { ...signing, signedAt: desk.now() } });
    return await written(c, desk, (said) => overview(c, said), { work, to: '/' });
  });
}

async function written(
  c: Context,
  desk: TrialPages,
  show: Show,
  { work, to }: { readonly work: Work | Complaint; readonly to: string },
): Promise<Response> {
  if (typeof work !== 'function') return await show(work);
  try {
    await desk.write(work);
    return c.redirect(to, 303);
  } catch (error) {
    if (error instanceof AppError && error.code === 'checkpoint') return await show(BUSY);
    throw error;
  }
}

/** Undefined if it is no small form. */
async function formOf(c: Context): Promise<URLSearchParams | undefined> {
  const length = Number(c.req.header('content-length') ?? Number.NaN);
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(c.req.header('content-type') ?? '');
  if (!isForm || Number.isNaN(length) || length > MOST_FORM_BYTES) return undefined;
  return new URLSearchParams(await c.req.text());
}

function isOurs(form: URLSearchParams | undefined, token: string): form is URLSearchParams {
  return form !== undefined && isSame(form.get('token') ?? '', token);
}

function marking(
  key: string,
  desk: TrialPages,
  form: URLSearchParams | undefined,
  { path, saw, found }: { readonly path: string; readonly saw: string; readonly found: number },
): Work | Complaint {
  const sent = form?.get('saw') ?? '';
  if (!isOurs(form, desk.token(path, sent))) return AGAIN;
  if (sent !== saw) return CHANGED;
  const { who } = desk.state();
  if (who === undefined) return refused('Say who you are first.');
  const common = { who, at: desk.now(), found, saw };
  if (form.get('mark') === 'right')
    return () => ({ key, mark: { verdict: 'right', because: [], words: '', ...common } satisfies Mark });
  const because = MATTERS.filter((matter) => form.getAll('because').includes(matter));
  const words = form.get('words')?.trim().slice(0, MOST_WORDS) ?? '';
  if (because.length === 0 && words === '') return refused('Tick a reason or write a line.');
  return () => ({ key, mark: { verdict: 'wrong', because, words, ...common } satisfies Mark });
}
