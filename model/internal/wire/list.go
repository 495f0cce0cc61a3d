package wire

import (
	"context"
	"encoding/json"
	"net/http"
)

// List asks a provider which models it has, with what authorizes the request in its header.
func (c *Client) List(ctx context.Context, url string, header http.Header) ([]string, error) {
	call := c.Call(false)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, call.Invalid(bare(err))
	}
	req.Header = header
	res, err := call.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		return nil, call.malformed("", err)
	}
	ids := make([]string, 0, len(page.Data))
	for _, m := range page.Data {
		ids = append(ids, m.ID)
	}
	return ids, nil
}
