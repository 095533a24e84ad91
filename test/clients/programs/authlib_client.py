# A client with authlib.
import json
import os
import time

from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc.jwk import ECKey

url = os.environ["BASE_URL"]
key = ECKey.import_key(json.loads(os.environ["PRIVATE_JWK"]))
session = OAuth2Session(os.environ["CLIENT_ID"], key, token_endpoint_auth_method="private_key_jwt")
# The audience is the issuer. The default of exp is an hour, and the service accepts five minutes.
session.register_client_auth_method(PrivateKeyJWT(url, {"exp": int(time.time()) + 60}, alg="ES256"))
token = session.fetch_token(url + "/token", grant_type="client_credentials")
statuses = [session.get(url + path).status_code for path in ["/", "/customers?limit=1"]]
print(json.dumps({"tokenType": token["token_type"], "statuses": statuses}))
