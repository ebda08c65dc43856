/** The keyboard: through a list, between the tickets of the list that one came from, to the search and the list of keys. */
const address = new URL(location);
// The cookie replaces the token from now on.
if (address.searchParams.has('token')) {
  address.searchParams.delete('token');
  history.replaceState(null, '', address);
}
const rows = [...document.querySelectorAll('a[data-row]')];
const path = document.querySelector('[data-path]');
const search = document.querySelector('input[type=search]');
const shortcuts = document.querySelector('dialog');
const follow = (selector) => document.querySelector(`${selector}:not([hidden])`)?.click();

/** This tab's storage; a browser may refuse it. */
function memory(name, value) {
  try {
    if (value !== undefined) sessionStorage.setItem(name, value);
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function step(by) {
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
  if (rows[next] === undefined) follow(by > 0 ? '[rel=next]' : '[rel=prev]');
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
}

const actions = {
  j: () => (path ? follow('[data-next]') : step(1)),
  k: () => (path ? follow('[data-previous]') : step(-1)),
  o: () => document.activeElement?.matches('a[data-row]') && document.activeElement.click(),
  n: () => follow('[rel=next]'),
  p: () => follow('[rel=prev]'),
  u: () => follow('[data-back]'),
  '/': () => search?.select(),
  '?': () => shortcuts?.showModal(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || shortcuts?.open) return;
  if (event.target.matches('input, select, textarea')) {
    if (event.key === 'Escape') event.target.blur();
  } else if (Object.hasOwn(actions, event.key)) {
    event.preventDefault();
    actions[event.key]();
  }
});

if (rows.length > 0 && !path) {
  const places = rows.map((row) => row.getAttribute('href'));
  memory('list', JSON.stringify({ back: address.pathname + address.search, places }));
  // Back in the list, the focus is where it was left.
  rows[places.indexOf(memory('opened'))]?.focus();
}
if (path) {
  const { back, places = [] } = JSON.parse(memory('list') ?? '{}');
  const at = places.indexOf(location.pathname);
  memory('opened', location.pathname);
  if (at >= 0) document.querySelector('[data-back]').href = back;
  for (const [name, place] of [
    ['previous', places[at - 1]],
    ['next', places[at + 1]],
  ]) {
    const link = document.querySelector(`[data-${name}]`);
    link.hidden = at < 0 || place === undefined;
    if (!link.hidden) link.href = place;
  }
}

for (const opener of document.querySelectorAll('[data-shortcuts]')) {
  opener.hidden = false;
  opener.addEventListener('click', () => shortcuts?.showModal());
}

export {};
