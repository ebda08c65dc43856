/**
 * The keyboard: through a list (j, k, Enter), between the tickets of the list that one came from, to the search (/) and
 * to the list of keys (?). The list is remembered for this tab only.
 */
const address = new URL(location);
// The cookie stands in for it from now on.
if (address.searchParams.has('token')) {
  address.searchParams.delete('token');
  history.replaceState(null, '', address);
}
const rows = [...document.querySelectorAll('a[data-row]')];
const search = document.querySelector('input[type=search]');
const shortcuts = document.querySelector('dialog');
const path = document.querySelector('[data-path]');

/** This tab's storage; where a browser gives none, the pages' own links still lead back. */
const memory = {
  get(name) {
    try {
      return sessionStorage.getItem(name) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(name, value) {
    try {
      sessionStorage.setItem(name, value);
    } catch {}
  },
};

/** The list that one came from: its address and the places in it. */
function rememberedList() {
  try {
    const { back, places, before, after } = JSON.parse(memory.get('list') ?? 'null') ?? {};
    const own = (place) => typeof place === 'string' && /^\/(?!\/)/.test(place);
    const kept = { back, before: own(before) ? before : undefined, after: own(after) ? after : undefined };
    return own(back) && Array.isArray(places) ? { ...kept, places: places.filter(own) } : undefined;
  } catch {
    return undefined;
  }
}

function step(by) {
  const at = rows.indexOf(document.activeElement);
  // Beyond the last row the next page begins, and before the first one the page before ends.
  if (at >= 0 && rows[at + by] === undefined && neighbour(by)) {
    memory.set('enter', by > 0 ? 'first' : 'last');
    follow(by > 0 ? '[rel=next]' : '[rel=prev]');
    return;
  }
  const next = at === -1 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
}

/** The address of the page of the list behind this one, or before it. */
const neighbour = (by) =>
  document.querySelector(`a[rel=${by > 0 ? 'next' : 'prev'}]`)?.getAttribute('href') ?? undefined;

const follow = (selector) => document.querySelector(`${selector}:not([hidden])`)?.click();

const actions = {
  j: () => (path ? follow('[data-next]') : step(1)),
  k: () => (path ? follow('[data-previous]') : step(-1)),
  o: () => document.activeElement?.matches('a[data-row]') && document.activeElement.click(),
  n: () => follow('[rel=next]'),
  p: () => follow('[rel=prev]'),
  u: () => follow('[data-back]'),
  '/': () => {
    search?.focus();
    search?.select();
  },
  '?': () => shortcuts?.showModal(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || shortcuts?.open) return;
  if (event.target.matches('input, select, textarea')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
  if (action === undefined) return;
  event.preventDefault();
  action();
});

if (rows.length > 0 && !path) {
  const places = rows.map((row) => row.getAttribute('href'));
  const back = `${address.pathname}${address.search}`;
  memory.set('list', JSON.stringify({ back, places, before: neighbour(-1), after: neighbour(1) }));
  const entered = { first: rows[0], last: rows.at(-1) }[memory.get('enter')];
  memory.set('enter', '');
  // From a ticket one goes on to the ticket, and through the list from row to row.
  if (/^#open-(?:first|last)$/.test(location.hash))
    location.replace((location.hash === '#open-first' ? rows[0] : rows.at(-1)).href);
  else entered?.focus();
  // Back in the list, one stands where one left it.
  const left = places.indexOf(memory.get('opened'));
  memory.set('opened', '');
  if (left >= 0) rows[left].focus();
}
if (path) {
  const list = rememberedList();
  const here = location.pathname;
  const at = list?.places.indexOf(here) ?? -1;
  if (list && at >= 0) {
    memory.set('opened', here);
    document.querySelector('[data-back]')?.setAttribute('href', list.back);
    for (const [name, place] of [
      ['previous', list.places[at - 1] ?? (list.before && `${list.before}#open-last`)],
      ['next', list.places[at + 1] ?? (list.after && `${list.after}#open-first`)],
    ]) {
      const link = document.querySelector(`[data-${name}]`);
      if (link === null) continue;
      link.hidden = false;
      if (place === undefined) {
        link.removeAttribute('href');
        // Without an address it is none by itself.
        link.setAttribute('role', 'link');
        link.setAttribute('aria-disabled', 'true');
      } else link.setAttribute('href', place);
    }
  }
}

for (const opener of document.querySelectorAll('[data-shortcuts]')) {
  opener.hidden = false;
  opener.addEventListener('click', () => shortcuts?.showModal());
}

export {};
