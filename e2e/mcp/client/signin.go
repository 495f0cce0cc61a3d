package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider/issuer"
	"github.com/chargehand/chargehand/tool/mcp"
)

// client is who we are to authorization servers: whom the suite says we are, or else who a document
// of its says, where a server takes that. Scenarios of client credentials have no person.
func client(scenario, given string) (*chargehand.SignIn, error) {
	var known struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Key    string `json:"private_key_pem"`
	}
	if json.Unmarshal([]byte(given), &known) != nil || known.ID == "" {
		return &chargehand.SignIn{ClientID: "https://conformance-test.local/client-metadata.json"}, nil
	}
	in := &chargehand.SignIn{ClientID: known.ID}
	if strings.HasPrefix(scenario, "auth/client-credentials") {
		in.Grant = chargehand.GrantClientCredentials
	}
	for name, value := range map[string]string{"CLIENT_SECRET": known.Secret, "CLIENT_KEY": known.Key} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	if known.Secret != "" {
		in.ClientSecret = "$CLIENT_SECRET"
	}
	if known.Key != "" {
		in.PrivateKey = "$CLIENT_KEY"
	}
	return in, nil
}

// agree is a person who agrees to whatever they are asked: the suite's pages lead back at once.
func agree() *mcp.Consent {
	return &mcp.Consent{Redirect: "http://localhost:3000/callback", Ask: issuer.Visit}
}
