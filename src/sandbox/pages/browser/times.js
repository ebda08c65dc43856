/** Times, written by the service in UTC, in the viewer's own zone; each page names the zone once. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
const day = { day: 'numeric', month: 'short', year: 'numeric' };
const clock = { hour: '2-digit', minute: '2-digit', hour12: false, hourCycle: 'h23' };
const format = (options) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
const formats = { day: format(day), full: format({ ...day, ...clock }) };
const exact = format({ ...day, ...clock, second: '2-digit', timeZoneName: 'short' });

for (const element of document.querySelectorAll('time')) {
  const date = new Date(element.dateTime);
  if (Number.isNaN(date.getTime())) continue;
  element.title = `${exact.format(date)} (${zone})\n${element.dateTime}`;
  element.textContent = formats[element.dataset.show === 'day' ? 'day' : 'full'].format(date);
}
for (const element of document.querySelectorAll('[data-zone]')) {
  element.textContent = /^(?:Etc\/)?(?:UTC|GMT)$/.test(zone) ? 'UTC' : zone;
}

export {};
