package open_test

import (
	"context"
	"fmt"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
)

func ExampleModel() {
	server, _ := provider.Start(provider.Options{}) // elsewhere: api.anthropic.com
	defer server.Close()
	lookup := env("ANTHROPIC_API_KEY=a-key", "ANTHROPIC_BASE_URL="+server.URL) // elsewhere: os.LookupEnv

	m, err := open.Model("anthropic/claude-haiku-4-5", lookup, open.Options{})
	if err != nil {
		fmt.Println(err) // it says which variable is missing
		return
	}
	m = model.Retry(m, model.RetryOptions{})
	res, err := m.Complete(context.Background(), model.Request{Messages: []model.Message{{Role: model.User, Text: "Hello"}}})
	fmt.Println(model.Name(m), res.Text, err)
	// Output: anthropic/claude-haiku-4-5 ok <nil>
}

func ExampleModel_missing() {
	_, err := open.Model("gpt-5-mini", env(), open.Options{})
	fmt.Println(err)
	// Output: cannot call OpenAI: OPENAI_API_KEY is not set
}
