package openai

import "context"

// Models are the names of the models that the server lists.
func (m *Model) Models(ctx context.Context) ([]string, error) {
	return m.wire.List(ctx, m.base+"/models", m.header())
}
