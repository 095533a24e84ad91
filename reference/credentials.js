// The form for client credentials, shown when a token cannot be issued without them.

/** `authorize` requests a token for the credentials. It returns undefined, or the reason of a failure. */
export function openForm(clientId, authorize) {
  const dialog = document.getElementById('credentials');
  const refusal = document.getElementById('refusal');
  const form = dialog.querySelector('form');
  const { client_id: id, client_secret: secret } = form.elements;

  function refuse(reason) {
    refusal.textContent = reason ?? '';
    refusal.hidden = !reason;
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const reason = await authorize({ client_id: id.value.trim(), client_secret: secret.value.trim() });
    if (reason) refuse(reason);
    else dialog.close();
  });
  form.querySelector('[value=cancel]').addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => form.reset());

  return {
    /** Shows the form, with the reason if there is one. */
    ask(reason) {
      id.value ||= clientId;
      refuse(reason);
      dialog.showModal();
      (id.value ? secret : id).focus();
    },
  };
}
