// Offers the time zone of the browser to a person who chooses one.
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const button = document.querySelector('[data-own-zone]');
const choice = document.querySelector('#zone');

button.textContent = `Use ${timeZone}, the zone of this browser`;
button.hidden = choice.value === timeZone;
button.addEventListener('click', (event) => {
  event.preventDefault();
  if (![...choice.options].some(({ value }) => value === timeZone)) choice.add(new Option(timeZone));
  choice.value = timeZone;
  choice.form.requestSubmit();
});
