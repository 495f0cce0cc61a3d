package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/chargehand/chargehand"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// HTML writes the result as one file that loads nothing: the page of Markdown, with a style for
// screen and print. It holds no script, and its policy forbids any.
func HTML(w io.Writer, r *chargehand.Result, stands chargehand.Sign) error {
	var text, body bytes.Buffer
	if err := Markdown(&text, r, stands); err != nil {
		return err
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if err := md.Convert(text.Bytes(), &body); err != nil {
		return fmt.Errorf("convert the report to HTML: %w", err)
	}
	sum := sha256.Sum256([]byte(style))
	title := r.Title
	if title == "" {
		title = r.RunID
	}
	return sheetOfHTML.Execute(w, struct {
		Title  string
		Policy string
		Style  template.CSS
		Body   template.HTML
	}{
		title, "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		style,
		template.HTML(body.String()), // goldmark omits raw HTML, and the page's text is escaped Markdown
	})
}

var sheetOfHTML = template.Must(template.New("report").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{{.Policy}}">
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<main>
{{.Body}}</main>
</body>
</html>
`))

const style = `
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1c1e21; font: 16px/1.55 Georgia, "Times New Roman", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.5rem; }
h1, h2, h3, h4, th { font-family: system-ui, sans-serif; line-height: 1.25; }
h1 { font-size: 1.8rem; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #d0d4d9; padding-bottom: .25rem; }
h3 { font-size: 1.08rem; margin: 1.6rem 0 .4rem; }
h4 { font-size: .95rem; margin: 1.2rem 0 .2rem; color: #4a5058; }
blockquote { margin: .4rem 0 .8rem; padding: .1rem 0 .1rem 1rem; border-left: 3px solid #9aa3ad; color: #30353b; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #e3e6e9; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f5f7; padding: .8rem; }
li { margin: .25rem 0; }
p, li, td, blockquote { overflow-wrap: anywhere; }
a { color: #0b4a8f; }
@media print {
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  a { color: inherit; text-decoration: none; }
  h1, h2, h3, h4 { break-after: avoid; }
  blockquote, tr, li { break-inside: avoid; }
}
`
