"""Makes a label reallocation and pages through the list, using only the generated client."""

import json
import os
from urllib.parse import parse_qs, urlparse
from uuid import UUID

from generated.api.authentication import create_token
from generated.api.label_reallocations import create_label_reallocation, list_label_reallocations
from generated.client import AuthenticatedClient, Client
from generated.models.amount_request import AmountRequest
from generated.models.label_link import LabelLink
from generated.models.label_reallocation_request import LabelReallocationRequest
from generated.models.label_reallocation_request_links import LabelReallocationRequestLinks
from generated.models.token_request import TokenRequest
from generated.models.token_request_grant_type import TokenRequestGrantType
from generated.types import UNSET

base_url = os.environ["BASE_URL"]
credentials = TokenRequest(
    grant_type=TokenRequestGrantType.CLIENT_CREDENTIALS,
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
)
token = create_token.sync(client=Client(base_url=base_url), body=credentials)
client = AuthenticatedClient(base_url=base_url, token=token.access_token, raise_on_unexpected_status=True)

body = LabelReallocationRequest(
    field_links=LabelReallocationRequestLinks(
        from_=LabelLink(href=os.environ["FROM"]),
        to=LabelLink(href=os.environ["TO"]),
    ),
    amount=AmountRequest(value="0.50", currency="USD"),
)
created = create_label_reallocation.sync_detailed(client=client, body=body, idempotency_key="generated-client")
assert created.status_code == 201, created.content

customer = UUID(os.environ["CUSTOMER"].rsplit("/", 1)[1])
pages = []
after = UNSET
while True:
    page = list_label_reallocations.sync(customer, client=client, limit=2, after=after)
    pages.append([str(one.id) for one in page.field_embedded.label_reallocations])
    if not page.field_links.next_:
        break
    after = UUID(parse_qs(urlparse(page.field_links.next_.href).query)["after"][0])

print(json.dumps({"location": created.headers["Location"], "total": page.total, "pages": pages}))
