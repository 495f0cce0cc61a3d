// Writes ../prices.json from the npm package @pydantic/genai-prices (MIT): `go generate ./model/price`.
// The package exports functions that search its table, not the table; the search is listened to.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { findProvider } = require("@pydantic/genai-prices");
const { version } = JSON.parse(readFileSync(new URL("node_modules/@pydantic/genai-prices/package.json", import.meta.url)));

const table = listen(() => findProvider({ providerId: "anthropic" }));
const dropped = [];
const providers = table
  .map((p) => ({ id: p.id, also: p.fallback_model_providers, models: p.models.flatMap((m) => model(p, m)) }))
  .filter((p) => p.models.length > 0);

const out = { source: `@pydantic/genai-prices ${version}`, date: process.argv[2] ?? new Date().toISOString().slice(0, 10), providers };
writeFileSync(new URL("../prices.json", import.meta.url), lines(out));
console.log(`${providers.length} providers, ${providers.reduce((n, p) => n + p.models.length, 0)} models; without a price of text: ${dropped.length}`);

function listen(search) {
  const find = Array.prototype.find;
  let table;
  Array.prototype.find = function (...args) {
    if (this[0]?.models) table ??= this;
    return find.apply(this, args);
  };
  search();
  Array.prototype.find = find;
  if (!table) throw new Error("the package no longer searches a list of providers");
  return table;
}

// A model: what its name must be like, and its prices, each from a day on. Models that are not paid by
// tokens of text are left out.
function model(p, m) {
  const all = (Array.isArray(m.prices) ? m.prices : [{ prices: m.prices }]).filter((c) => c.prices.input_mtok !== undefined && c.prices.output_mtok !== undefined);
  if (all.length === 0) {
    dropped.push(`${p.id}/${m.id}`);
    return [];
  }
  return [{ match: rule(m.match), prices: byDay(all) }];
}

// Go's expressions do not look ahead: those that only say what a name is not like become a "not".
function rule(m) {
  for (const k of ["and", "or"]) if (m[k]) return { [k]: m[k].map(rule) };
  if (!m.regex?.includes("(?")) return m;
  const not = /^\^\(\?!\.\*(.*)\)$/.exec(m.regex);
  if (not) return { not: { regex: not[1] } };
  if (/\(\?[=!<]/.test(m.regex)) throw new Error(`an expression that Go does not know: ${m.regex}`);
  return m;
}

// Prices that depend on the hour of the day stand next to one another: the dearest counts.
function byDay(all) {
  const days = new Map();
  for (const { constraint: c, prices } of all) {
    if (c && c.type !== "start_date" && c.type !== "time_of_date") throw new Error(`unknown constraint ${JSON.stringify(c)}`);
    const from = c?.start_date ?? "";
    days.set(from, [...(days.get(from) ?? []), ...steps(prices)]);
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([from, steps]) => ({ ...(from && { from }), steps }));
}

// steps are the prices by length of the context: [tokens above which, input, output, cached input, cache write].
function steps(p) {
  const of = (v, start) => (typeof v !== "object" ? v : v.tiers.filter((t) => t.start <= start).sort((a, b) => b.start - a.start)[0]?.price ?? v.base);
  const starts = new Set([0]);
  for (const v of [p.input_mtok, p.output_mtok, p.cache_read_mtok, p.cache_write_mtok]) for (const t of v?.tiers ?? []) starts.add(t.start);
  return [...starts].sort((a, b) => a - b).map((s) => {
    const row = [s, of(p.input_mtok, s), of(p.output_mtok, s), of(p.cache_read_mtok, s) ?? 0, of(p.cache_write_mtok, s) ?? 0];
    while (row.length > 3 && row.at(-1) === 0) row.pop();
    return row;
  });
}

// lines is the JSON with a line for each model, so that a diff can be read.
function lines(out) {
  const model = (m) => "   " + JSON.stringify(m);
  const provider = (p) => `  {"id":${JSON.stringify(p.id)},${p.also ? `"also":${JSON.stringify(p.also)},` : ""}"models":[\n${p.models.map(model).join(",\n")}\n  ]}`;
  return `{"source":${JSON.stringify(out.source)},"date":${JSON.stringify(out.date)},"providers":[\n${out.providers.map(provider).join(",\n")}\n]}\n`;
}
