// A client with golang.org/x/oauth2. The assertion is made with golang-jwt.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/url"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func number(text string) *big.Int {
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		log.Fatal(err)
	}
	return new(big.Int).SetBytes(bytes)
}

func readKey() *ecdsa.PrivateKey {
	var jwk struct{ X, Y, D string }
	if err := json.Unmarshal([]byte(os.Getenv("PRIVATE_JWK")), &jwk); err != nil {
		log.Fatal(err)
	}
	public := ecdsa.PublicKey{Curve: elliptic.P256(), X: number(jwk.X), Y: number(jwk.Y)}
	return &ecdsa.PrivateKey{PublicKey: public, D: number(jwk.D)}
}

func main() {
	base, id := os.Getenv("BASE_URL"), os.Getenv("CLIENT_ID")
	now := time.Now().Unix()
	claims := jwt.MapClaims{"iss": id, "sub": id, "aud": base, "iat": now, "exp": now + 60, "jti": fmt.Sprint(time.Now().UnixNano())}
	assertion, err := jwt.NewWithClaims(jwt.SigningMethodES256, claims).SignedString(readKey())
	if err != nil {
		log.Fatal(err)
	}
	config := clientcredentials.Config{
		ClientID:  id,
		TokenURL:  base + "/token",
		AuthStyle: oauth2.AuthStyleInParams,
		EndpointParams: url.Values{
			"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
			"client_assertion":      {assertion},
		},
	}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := oauth2.NewClient(context.Background(), oauth2.StaticTokenSource(token))
	statuses := []int{}
	for _, path := range []string{"/", "/customers?limit=1"} {
		response, err := client.Get(base + path)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		statuses = append(statuses, response.StatusCode)
	}
	printed, _ := json.Marshal(map[string]any{"tokenType": token.TokenType, "statuses": statuses})
	fmt.Println(string(printed))
}
