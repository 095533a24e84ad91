// Shows the times of a page in the zone of its reader. The tooltip has the time in UTC, which is the text without this script.
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

for (const element of document.querySelectorAll('time[datetime]')) {
  const time = new Date(element.dateTime);
  if (Number.isNaN(time.getTime()) || element.dataset.relative !== undefined) continue;
  element.title = element.textContent;
  element.textContent = (element.dataset.seconds === undefined ? DAY : TIME).format(time);
}
