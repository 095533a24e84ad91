// Draws the reference in a browser: the document of this service, with the examples of its sandbox.
(async () => {
  const settings = JSON.parse(document.body.dataset.settings);
  const response = await fetch('/openapi.json');
  let text = await response.text();
  for (const [from, to] of settings.replace) text = text.replaceAll(from, to);
  const ui = window.SwaggerUIBundle({
    dom_id: '#reference',
    spec: JSON.parse(text),
    deepLinking: true,
    displayOperationId: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    // Nothing is asked of other servers, and nothing is taken from the address.
    validatorUrl: null,
    queryConfigEnabled: false,
  });
  ui.initOAuth({ clientId: settings.clientId, scopes: settings.scopes });
})();
