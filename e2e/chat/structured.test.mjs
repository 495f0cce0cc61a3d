// What LangChain and the AI SDK make of teams as models: structured output, by schema and by function.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateObject, generateText, Output, streamObject, streamText } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const { SERVED: url, CHARGEHAND_API_TOKEN: apiKey, INPUT: input } = process.env;
const text = readFileSync(input, 'utf8');
const long = `${text}\n${'-'.repeat(4096)}`; // a message of more than 4 KiB is a document
const summary = z.object({ text: z.string(), facts: z.number() });
const otherwise = z.object({ verdict: z.boolean() });

// LangChain asks again after most errors: a refusal is to come at once.
const langchain = (model, more) => new ChatOpenAI({ model, apiKey, configuration: { baseURL: `${url}/v1` }, ...more });
const prompt = [new HumanMessage({ content: [{ type: 'text', text: 'Find the facts.' }, {
  type: 'file', file: { filename: 'input.txt', file_data: `data:text/plain;base64,${Buffer.from(text).toString('base64')}` },
}] })];

for (const useResponsesApi of [false, true]) {
  for (const method of ['jsonSchema', 'functionCalling']) {
    const name = `LangChain's withStructuredOutput by ${method}${useResponsesApi ? ' over responses' : ''}`;
    const asked = useResponsesApi ? long : prompt;
    test(name, async () => {
      const r = await langchain('summing-team', { useResponsesApi }).withStructuredOutput(summary, { method, name: 'summary', strict: true }).invoke(asked);
      assert.deepEqual(Object.keys(r).sort(), ['facts', 'text']);
      assert.match(r.text, /500,000/);
    });
    test(`${name} says why it cannot`, async () => {
      const began = Date.now();
      const model = langchain('summing-team', { useResponsesApi }).withStructuredOutput(otherwise, { method, name: 'verdict' });
      await assert.rejects(model.invoke(asked), /no result of the team summing-team can satisfy it: .*Ask for a schema that fits the contract "summary"/s);
      assert.ok(Date.now() - began < 3000, 'it is asked again');
    });
    test(`${name} names the run that waits`, async () => {
      const began = Date.now();
      const model = langchain('lying-team', { useResponsesApi }).withStructuredOutput(summary, { method, name: 'summary' });
      if (useResponsesApi) await assert.rejects(model.invoke(asked)); // the response is incomplete, and a refusal
      else await assert.rejects(model.invoke(asked), /chargehand review show/);
      assert.ok(Date.now() - began < 5000, 'it is asked again');
    });
  }
}

test("LangChain's tools are refused, and nothing is begun", async () => {
  const model = langchain('summing-team').bindTools([{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]);
  await assert.rejects(model.invoke(prompt), /a team calls the tools of its own file/);
});

const compatible = createOpenAICompatible({ name: 'chargehand', baseURL: `${url}/v1`, apiKey, includeUsage: true, supportsStructuredOutputs: true });
const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
const messages = [{ role: 'user', content: long }];
const models = { 'openai-compatible': compatible('summing-team'), 'openai.chat': openai.chat('summing-team'), 'the default, responses': openai('summing-team') };

for (const [name, model] of Object.entries(models)) {
  test(`the AI SDK's generateText with ${name}`, async () => {
    const r = await generateText({ model, messages });
    assert.match(r.text, /500,000/);
    assert.equal(r.finishReason, 'stop');
  });
  test(`the AI SDK's streamText with ${name}`, async () => {
    let said = '';
    const r = streamText({ model, messages });
    for await (const piece of r.textStream) said += piece;
    assert.match(said, /500,000/);
    assert.equal(await r.finishReason, 'stop');
    assert.ok((await r.usage).totalTokens >= 0);
  });
  test(`the AI SDK's generateObject with ${name}`, async () => {
    const { object } = await generateObject({ model, schema: summary, messages });
    assert.match(object.text, /500,000/);
  });
  test(`the AI SDK's streamObject with ${name}`, async () => {
    const r = streamObject({ model, schema: summary, messages });
    for await (const _ of r.partialObjectStream);
    assert.match((await r.object).text, /500,000/);
  });
  test(`the AI SDK's Output.object with ${name}`, async () => {
    const r = await generateText({ model, messages, output: Output.object({ schema: summary }) });
    assert.match(r.output.text, /500,000/);
  });
  test(`the AI SDK's refusal with ${name}`, async () => {
    await assert.rejects(generateObject({ model, schema: otherwise, messages, maxRetries: 0 }),
      (e) => e.statusCode === 400 && e.isRetryable === false && /no result of the team summing-team can satisfy it/.test(e.message));
  });
}

test("the OpenAI client's parse", async () => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  const r = await client.chat.completions.parse({ model: 'summing-team', messages, response_format: zodResponseFormat(summary, 'summary') });
  assert.match(r.choices[0].message.parsed.text, /500,000/);
  await assert.rejects(client.chat.completions.parse({ model: 'summing-team', messages, response_format: zodResponseFormat(otherwise, 'verdict') }),
    (e) => e instanceof OpenAI.BadRequestError && e.code === 'schema_not_satisfiable' && e.param === 'response_format.json_schema.schema');
});
