// The JavaScript SDK's client against a team that chargehand serves. It prints "decide ID" where a
// task waits for a person, "ok WHAT" for each thing that holds, and ends with "done".
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ClientFactory, ClientFactoryOptions } from '@a2a-js/sdk/client';
import { Role, TaskState } from '@a2a-js/sdk';

const [base, binding] = process.argv.slice(2);
const factory = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [binding] }),
);
const client = await factory.createFromUrl(base);
assert.equal(client.protocol ?? binding, binding);

const part = (content, filename = '', mediaType = '') => ({ content, filename, mediaType, metadata: undefined });
const say = (text, more = [], of = {}) => ({
  tenant: '',
  metadata: undefined,
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false, ...of.configuration },
  message: {
    messageId: of.messageId ?? randomUUID(), contextId: '', taskId: of.taskId ?? '', role: Role.ROLE_USER,
    parts: [part({ $case: 'text', value: text }), ...more], metadata: undefined, extensions: [], referenceTaskIds: [],
  },
});
const ok = (what) => console.log('ok ' + what);
const task = (result) => result.payload?.value ?? result;
const state = (t) => TaskState[t.status.state];
const output = (t) => t.artifacts.find((a) => a.artifactId === 'output').parts[0].content.value;
const refused = async (name, f) => {
  await assert.rejects(f, (e) => {
    assert.equal(e.name, name, `${e.name}: ${e.message}`);
    return true;
  });
};

const hello = say('Say hello', [
  part({ $case: 'data', value: { depth: 3 } }),
  part({ $case: 'raw', value: Buffer.from('hello') }, 'a.txt', 'text/plain'),
]);
const first = task(await client.sendMessage(hello));
assert.equal(state(first), 'TASK_STATE_COMPLETED');
assert.equal(output(first).answer, 'Hello.');
ok('a message is answered with a completed task');

assert.equal(task(await client.sendMessage(hello)).id, first.id);
ok('a message that is sent again names the same task');

const again = await client.getTask({ tenant: '', id: first.id, historyLength: 1 });
assert.equal(state(again), 'TASK_STATE_COMPLETED');
assert.equal(again.history.length, 1);
const list = await client.listTasks({ tenant: '', contextId: first.contextId, pageSize: 10, pageToken: '', status: 0, includeArtifacts: false });
assert.deepEqual(list.tasks.map((t) => t.id), [first.id]);
ok('tasks are got and listed');

const kinds = [];
for await (const e of client.sendMessageStream(say('Say hello'))) {
  kinds.push(e.payload.$case);
  if (e.payload.$case === 'statusUpdate') kinds.push(state(e.payload.value));
}
assert.equal(kinds[0], 'task');
assert.ok(kinds.includes('artifactUpdate'));
assert.equal(kinds.at(-1), 'TASK_STATE_COMPLETED');
ok('a stream begins with the task and ends with it');

const held = task(await client.sendMessage(say('wait', [], { configuration: { returnImmediately: true } })));
assert.equal(state(held), 'TASK_STATE_WORKING');
assert.equal(state(await client.cancelTask({ tenant: '', id: held.id, metadata: undefined })), 'TASK_STATE_CANCELED');
ok('a task is canceled');

let waits;
const seen = [];
for await (const e of client.sendMessageStream(say('lie'))) {
  if (e.payload.$case === 'artifactUpdate') continue;
  const t = e.payload.value;
  seen.push(state(t));
  if (seen.at(-1) !== 'TASK_STATE_INPUT_REQUIRED') continue;
  const id = t.id || t.taskId;
  if (!waits) {
    waits = id;
    await refused('UnsupportedOperationError', () => client.sendMessage(say('approved', [], { taskId: id })));
    ok('a message decides nothing');
    for await (const s of client.resubscribeTask({ tenant: '', id })) {
      assert.equal(s.payload.$case, 'task');
      assert.equal(state(s.payload.value), 'TASK_STATE_INPUT_REQUIRED');
      break;
    }
    ok('a task that requires input is subscribed to');
  }
  console.log('decide ' + id);
}
assert.ok(waits, seen.join());
assert.equal(seen.at(-1), 'TASK_STATE_COMPLETED');
ok('a task goes on when a person has decided');

await refused('TaskNotFoundError', () => client.getTask({ tenant: '', id: 'none' }));
await refused('TaskNotCancelableError', () => client.cancelTask({ tenant: '', id: first.id, metadata: undefined }));
await refused('UnsupportedOperationError', async () => {
  for await (const _ of client.resubscribeTask({ tenant: '', id: first.id }));
});
await refused('ContentTypeNotSupportedError', () =>
  client.sendMessage(say('Say hello', [part({ $case: 'raw', value: Buffer.from('x') }, 'a.png', 'image/png')])));
ok('errors are told apart');
console.log('done');
