package anthropic

import (
	"context"
	"net/http"
	"strings"
)

// Models are the names of the models that the key may call, the newest first, a thousand at most.
func (m *Model) Models(ctx context.Context) ([]string, error) {
	return m.wire.List(ctx, strings.TrimRight(m.base, "/")+"/v1/models?limit=1000", http.Header{
		"X-Api-Key": {*m.wire.Secret}, "Anthropic-Version": {"2023-06-01"},
	})
}
