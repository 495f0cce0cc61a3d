package a2aapi

import (
	"net/http"
	"net/url"
	"strings"
)

// Plain is a request without doubled slashes in its path: clients join addresses that end in a slash with paths that begin
// with one. The redirect of a mux would lose the body of many a client's message.
func Plain(r *http.Request) *http.Request {
	path := r.URL.EscapedPath()
	if !strings.Contains(path, "//") {
		return r
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	plain, err := url.PathUnescape(path)
	if err != nil {
		return r
	}
	next := *r
	u := *r.URL
	u.Path, u.RawPath = plain, path
	next.URL = &u
	return &next
}
