// What the OpenAI client library makes of teams over the Responses API.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const { SERVED: url, CHARGEHAND_API_TOKEN: apiKey, INPUT: input } = process.env;
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
const text = readFileSync(input, 'utf8');
const asked = [{ role: 'user', content: [
  { type: 'input_file', filename: 'input.txt', file_data: `data:text/plain;base64,${Buffer.from(text).toString('base64')}` },
  { type: 'input_text', text: 'Find the facts.' },
] }];
const summary = z.object({ text: z.string(), facts: z.number() });

test('a response is the checked result', async () => {
  const r = await client.responses.create({ model: 'contract-review', instructions: 'Be brief.', input: asked, metadata: { case: '7' } });
  assert.equal(r.status, 'completed');
  assert.match(r.output_text, /500,000/);
  assert.equal(r.usage.total_tokens, r.usage.input_tokens + r.usage.output_tokens);
  assert.deepEqual(r.metadata, { case: '7' });
  assert.equal(r.instructions, 'Be brief.');
  const again = await client.responses.retrieve(r.id);
  assert.deepEqual({ ...again, output_text: undefined }, { ...r, output_text: undefined });
});

test('a text is a document of a team that reads', async () => {
  const r = await client.responses.create({ model: 'contract-review', input: text });
  assert.match(r.output_text, /EUR 500,000/);
  assert.equal((await client.responses.retrieve(r.id)).output_text, r.output_text);
});

test('the events of a stream come in their order', async () => {
  const events = [];
  for await (const e of await client.responses.create({ model: 'summing-team', input: asked, stream: true })) events.push(e);
  assert.deepEqual(events.map((e) => e.sequence_number), events.map((_, i) => i));
  assert.deepEqual(events.map((e) => e.type).filter((t, i, all) => t !== all[i - 1]), [
    'response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added', 'response.output_text.delta',
    'response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed',
  ]);
  const said = events.filter((e) => e.type === 'response.output_text.delta').map((e) => e.delta).join('');
  assert.equal(said, events.at(-1).response.output[0].content[0].text);
  assert.equal(events[0].response.status, 'in_progress');
});

test('the streaming helper puts it together', async () => {
  const r = await client.responses.stream({ model: 'summing-team', input: asked }).finalResponse();
  assert.match(r.output_text, /500,000/);
});

test('a schema is satisfied or refused', async () => {
  const r = await client.responses.parse({ model: 'summing-team', input: asked, text: { format: zodTextFormat(summary, 'summary') } });
  assert.match(r.output_parsed.text, /500,000/);
  assert.equal((await client.responses.retrieve(r.id)).output_text, r.output_text);
  await assert.rejects(client.responses.parse({ model: 'summing-team', input: asked, text: { format: zodTextFormat(z.object({ verdict: z.boolean() }), 'v') } }),
    (e) => e instanceof OpenAI.BadRequestError && e.code === 'schema_not_satisfiable' && e.param === 'text.format.schema');
});

test('a response goes on from another', async () => {
  const first = await client.responses.create({ model: 'contract-review', input: asked });
  const second = await client.responses.create({ model: 'contract-review', previous_response_id: first.id, input: 'Once more.' });
  assert.match(second.output_text, /500,000/); // from the document of the first
  assert.equal(second.previous_response_id, first.id);
  await assert.rejects(client.responses.create({ model: 'summing-team', previous_response_id: 'resp_none', input: 'x' }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === 'previous_response_id');
});

test('in the background', async () => {
  let r = await client.responses.create({ model: 'summing-team', input: asked, background: true });
  assert.equal(r.background, true);
  for (const until = Date.now() + 20_000; r.status === 'in_progress' && Date.now() < until;) r = await client.responses.retrieve(r.id);
  assert.equal(r.status, 'completed');
  assert.match(r.output_text, /500,000/);
  assert.equal((await client.responses.cancel(r.id)).status, 'completed');
});

test('a run that waits for a person is incomplete, and can be cancelled', async () => {
  const r = await client.responses.create({ model: 'lying-team', input: asked });
  assert.equal(r.status, 'incomplete');
  assert.equal(r.incomplete_details.reason, 'needs_human');
  assert.match(r.output_text, new RegExp(`chargehand review show ${r.chargehand.reviews[0].review_id}`));
  const stream = client.responses.stream({ model: 'lying-team', input: asked, text: { format: zodTextFormat(summary, 's') } });
  const last = await stream.finalResponse();
  assert.equal(last.status, 'incomplete');
  assert.match(last.output[0].content[0].refusal, /chargehand review show/);
  assert.equal((await client.responses.cancel(r.id)).status, 'cancelled');
  assert.equal((await client.responses.retrieve(r.id)).status, 'cancelled');
});

test('the same key is the same response', async () => {
  const once = () => client.responses.create({ model: 'summing-team', input: asked }, { headers: { 'Idempotency-Key': 'two' } });
  assert.equal((await once()).id, (await once()).id);
});

test('the example of docs/serve.md', async () => {
  const page = readFileSync(new URL('../../docs/serve.md', import.meta.url), 'utf8');
  const code = page.match(/```js responses\n([^]*?)```/)[1].replaceAll('http://127.0.0.1:7433', url);
  const said = [];
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('OpenAI', 'console', code)(OpenAI, { log: (...words) => said.push(words) });
  assert.match(said[0][0], /EUR 500,000/);
  assert.equal(said[0][2], 'completed');
});

test('errors are those that clients know', async () => {
  await assert.rejects(client.responses.create({ model: 'nobody', input: 'x' }), OpenAI.NotFoundError);
  await assert.rejects(client.responses.retrieve('resp_none'), OpenAI.NotFoundError);
  await assert.rejects(client.responses.create({ model: 'summing-team', input: 'x', tools: [{ type: 'web_search' }] }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === 'tools' && e.code === 'unsupported_parameter');
  await assert.rejects(client.responses.create({ model: 'summing-team', input: 'x', store: false }), (e) => e.param === 'store');
  await assert.rejects(client.responses.del ? client.responses.del('resp_x') : client.responses.delete('resp_x'), /kept on record/);
  const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong-token-of-some-length' });
  await assert.rejects(stranger.responses.create({ model: 'summing-team', input: 'x' }), OpenAI.AuthenticationError);
});
