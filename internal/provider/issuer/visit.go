package issuer

import (
	"context"
	"net/http"
	"net/url"
)

// Visit is a person who agrees to whatever a page asks: their browser opens it and goes where it is
// sent, once. It answers what the place it is sent to is told.
func Visit(ctx context.Context, page string) (url.Values, error) {
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	res, err := browser.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	back, err := res.Location()
	if err != nil {
		return nil, err
	}
	return back.Query(), nil
}
