package main

import (
	"encoding/json"
	"os"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/provider/issuer"
	"github.com/chargehand/chargehand/tool/mcp"
)

// client is who we are to authorization servers: whom the suite says we are, or else who a document
// of its says, where a server takes that.
func client(given string) (*chargehand.SignIn, error) {
	var known struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if json.Unmarshal([]byte(given), &known) != nil || known.ID == "" {
		return &chargehand.SignIn{ClientID: "https://conformance-test.local/client-metadata.json"}, nil
	}
	in := &chargehand.SignIn{ClientID: known.ID}
	if known.Secret == "" {
		return in, nil
	}
	in.ClientSecret = "$CLIENT_SECRET"
	return in, os.Setenv("CLIENT_SECRET", known.Secret)
}

// agree is a person who agrees to whatever they are asked: the suite's pages lead back at once.
func agree() *mcp.Consent {
	return &mcp.Consent{Redirect: "http://localhost:3000/callback", Ask: issuer.Visit}
}
