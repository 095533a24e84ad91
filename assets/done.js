// Drops `done` from the address after its notice is shown, so that a page that is loaded again does not repeat it.
const url = new URL(location.href);

url.searchParams.delete('done');
history.replaceState(history.state, '', url);
