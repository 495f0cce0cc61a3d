package openai

import (
	"context"
	"net/http"
	"strings"
)

// Models are the names of the models that the server lists.
func (m *Model) Models(ctx context.Context) ([]string, error) {
	h := http.Header{}
	if *m.wire.Secret != "" {
		h.Set("Authorization", "Bearer "+*m.wire.Secret)
	}
	return m.wire.List(ctx, strings.TrimRight(m.base, "/")+"/models", h)
}
