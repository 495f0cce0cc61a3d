// What the OpenAI client library makes of teams that are served as models.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import OpenAI from 'openai';

const { SERVED: url, CHARGEHAND_API_TOKEN: apiKey, INPUT: input } = process.env;
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
const text = readFileSync(input, 'utf8');
const file = {
  type: 'file',
  file: { filename: 'input.txt', file_data: `data:text/plain;base64,${Buffer.from(text).toString('base64')}` },
};
const ask = (more) => [{ role: 'user', content: [file, { type: 'text', text: 'Find the facts.' }] }, ...(more ?? [])];

test('teams are models', async () => {
  const ids = [];
  for await (const m of client.models.list()) ids.push(m.id);
  assert.deepEqual(ids, ['contract-review', 'first-team', 'summing-team', 'lying-team']);
  assert.equal((await client.models.retrieve('first-team')).object, 'model');
});

test('a completion is the checked result', async () => {
  const { data, response } = await client.chat.completions.create({ model: 'first-team', messages: ask() }).withResponse();
  assert.equal(data.choices[0].finish_reason, 'stop');
  assert.match(data.choices[0].message.content, /500,000/);
  assert.match(response.headers.get('x-chargehand-run'), /^run_/);
  assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
});

test('a pasted contract is a document', async () => {
  const r = await client.chat.completions.create({ model: 'contract-review', messages: [{ role: 'user', content: text }] });
  assert.match(r.choices[0].message.content, /EUR 500,000/);
});

test('a stream is the same text', async () => {
  const whole = await client.chat.completions.create({ model: 'contract-review', messages: [{ role: 'user', content: text }] });
  const stream = await client.chat.completions.create({
    model: 'contract-review', stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: text }],
  });
  let said = '';
  let usage;
  let finish;
  for await (const chunk of stream) {
    said += chunk.choices[0]?.delta?.content ?? '';
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  assert.equal(said, whole.choices[0].message.content);
  assert.equal(finish, 'stop');
  assert.ok(usage.total_tokens >= 0);
});

test('the streaming helper puts it together', async () => {
  const r = await client.chat.completions.stream({ model: 'first-team', messages: ask() }).finalChatCompletion();
  assert.match(r.choices[0].message.content, /500,000/);
});

test('the same key is the same run', async () => {
  const once = () => client.chat.completions.create({ model: 'first-team', messages: ask() }, { idempotencyKey: 'one', headers: { 'Idempotency-Key': 'one' } });
  assert.equal((await once()).chargehand.run_id, (await once()).chargehand.run_id);
});

test('a run that waits for a person says so', async () => {
  const r = await client.chat.completions.create({ model: 'lying-team', messages: ask() });
  assert.equal(r.choices[0].finish_reason, 'stop');
  assert.equal(r.chargehand.state, 'needs_human');
  assert.match(r.choices[0].message.content, new RegExp(`chargehand review show ${r.chargehand.reviews[0].review_id}`));
});

test('errors are those that clients know', async () => {
  const create = (body, c = client) => c.chat.completions.create(body);
  await assert.rejects(create({ model: 'nobody', messages: ask() }), OpenAI.NotFoundError);
  await assert.rejects(create({ model: 'first-team', messages: ask(), tools: [{ type: 'function', function: { name: 'f' } }] }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === 'tools' && e.code === 'unsupported_parameter');
  await assert.rejects(create({ model: 'first-team', messages: [] }), OpenAI.BadRequestError);
  const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong-token-of-some-length' });
  await assert.rejects(create({ model: 'first-team', messages: ask() }, stranger), OpenAI.AuthenticationError);
});

test('an abandoned request is cancelled', async () => {
  const abort = new AbortController();
  const r = client.chat.completions.create({ model: 'contract-review', messages: [{ role: 'user', content: text }] }, { signal: abort.signal });
  abort.abort();
  await assert.rejects(r, OpenAI.APIUserAbortError);
});

test('the example of docs/serve.md', async () => {
  const page = readFileSync(new URL('../../docs/serve.md', import.meta.url), 'utf8');
  const code = page.match(/```js openai\n([^]*?)```/)[1].replaceAll('http://127.0.0.1:7433', url);
  const said = [];
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('OpenAI', 'console', code)(OpenAI, { log: (...words) => said.push(words) });
  assert.match(said[0][0], /EUR 500,000/);
  assert.match(said[0][2], /^run_/);
});
