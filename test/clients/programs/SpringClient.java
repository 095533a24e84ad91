// A client with spring-security-oauth2-client. The proofs are made by the Nimbus library that it brings.
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.oauth2.sdk.dpop.DPoPProofFactory;
import com.nimbusds.oauth2.sdk.dpop.DefaultDPoPProofFactory;
import com.nimbusds.oauth2.sdk.token.DPoPAccessToken;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.security.oauth2.client.endpoint.NimbusJwtClientAuthenticationParametersConverter;
import org.springframework.security.oauth2.client.endpoint.OAuth2ClientCredentialsGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientClientCredentialsTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;

public class SpringClient {
  public static void main(String[] args) throws Exception {
    String base = System.getenv("BASE_URL");
    ECKey key = new ECKey.Builder(ECKey.parse(System.getenv("PRIVATE_JWK"))).keyID("spring").build();
    DPoPProofFactory proofs = new DefaultDPoPProofFactory(new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
    ClientRegistration registration = ClientRegistration.withRegistrationId("earmark")
        .clientId(System.getenv("CLIENT_ID"))
        .clientAuthenticationMethod(ClientAuthenticationMethod.PRIVATE_KEY_JWT)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .tokenUri(base + "/token")
        .build();

    var assertions = new NimbusJwtClientAuthenticationParametersConverter<OAuth2ClientCredentialsGrantRequest>(given -> key);
    // The audience is the issuer.
    assertions.setJwtClientAssertionCustomizer(context -> context.getClaims().audience(List.of(base)));
    var client = new RestClientClientCredentialsTokenResponseClient();
    client.addParametersConverter(assertions);
    client.addHeadersConverter(request -> {
      HttpHeaders headers = new HttpHeaders();
      headers.set("DPoP", proof(proofs, base + "/token"));
      return headers;
    });
    var token = client.getTokenResponse(new OAuth2ClientCredentialsGrantRequest(registration)).getAccessToken();

    List<Integer> statuses = new ArrayList<>();
    for (String path : List.of("/", "/customers?limit=1")) {
      URI htu = URI.create(base + path.replaceAll("[?].*", ""));
      String proof = proofs.createDPoPJWT("GET", htu, new DPoPAccessToken(token.getTokenValue())).serialize();
      HttpRequest request = HttpRequest.newBuilder(URI.create(base + path))
          .header("Authorization", "DPoP " + token.getTokenValue())
          .header("DPoP", proof)
          .build();
      statuses.add(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
    }
    String type = token.getTokenType().getValue();
    System.out.println("{\"tokenType\": \"" + type + "\", \"statuses\": " + statuses + "}");
  }

  private static String proof(DPoPProofFactory proofs, String url) {
    try {
      return proofs.createDPoPJWT("POST", URI.create(url)).serialize();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }
}
