/** What a browser does with the address that the sandbox prints: it keeps the cookie and follows the redirect. */
export async function signedIn(address: string): Promise<{ cookie: string; page: Response }> {
  const opened = await fetch(address, { redirect: 'manual' });
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const place = new URL(opened.headers.get('location') ?? '/', address);
  return { cookie, page: await fetch(place, { headers: { cookie } }) };
}
