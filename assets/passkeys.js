// Passkeys: connects the buttons that enrol a passkey and sign in with one.
const shown = document.querySelector('[data-passkey-error]');
const CALLS = {
  enrol: {
    path: '/console/passkeys/enrol',
    ask: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  },
  'sign-in': {
    path: '/console/passkeys/sign-in',
    ask: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  },
};

async function send(path, body = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(response.status === 429 ? 'Too many attempts. Wait a minute.' : 'The passkey was not accepted.');
  return response.json();
}

async function run({ path, ask }, to) {
  const credential = await ask(await send(`${path}/begin`, { to }));
  return send(path, credential.toJSON());
}

function report(error) {
  // The person closed the dialog of the browser, or it timed out.
  shown.textContent = error.name === 'NotAllowedError' ? 'No passkey was used.' : error.message;
  shown.hidden = false;
}

for (const button of document.querySelectorAll('[data-passkey]')) {
  const isSupported = typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
  button.disabled = !isSupported;
  button.addEventListener('click', async () => {
    shown.hidden = true;
    button.disabled = true;
    try {
      const { to } = await run(CALLS[button.dataset.passkey], button.dataset.to);
      location.assign(to);
    } catch (error) {
      report(error);
    }
    button.disabled = false;
  });
}
