// An agent made with the JavaScript SDK, for chargehand's worker of kind a2a. What it does is the
// first word of a message. It prints "listening PORT" and what it is told to do.
import express from 'express';
import { randomUUID } from 'node:crypto';
import { AGENT_CARD_PATH, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';

const [binding] = process.argv.slice(2);
const text = (value) => ({ content: { $case: 'text', value }, filename: '', mediaType: 'text/plain', metadata: undefined });
const data = (value) => ({ content: { $case: 'data', value }, filename: '', mediaType: 'application/json', metadata: undefined });

class Executor {
  #stopped = new Map();

  async execute({ userMessage, taskId, contextId }, bus) {
    const said = (words) => ({
      messageId: randomUUID(), contextId, taskId, role: Role.ROLE_AGENT, parts: [text(words)],
      metadata: undefined, extensions: [], referenceTaskIds: [],
    });
    const moved = (state, words) => bus.publish(AgentEvent.statusUpdate({
      taskId, contextId, metadata: undefined,
      status: { state, message: words ? said(words) : undefined, timestamp: new Date().toISOString() },
    }));
    const made = (...parts) => bus.publish(AgentEvent.artifactUpdate({
      taskId, contextId, append: false, lastChunk: true, metadata: undefined,
      artifact: { artifactId: randomUUID(), name: 'answer', description: '', parts, metadata: undefined, extensions: [] },
    }));
    const words = userMessage.parts.map((p) => (p.content?.$case === 'text' ? p.content.value : '')).join(' ');
    const does = words.split(/\s/)[0];
    console.log(`message ${userMessage.messageId} ${does}`);
    if (does === 'reply') {
      bus.publish(AgentEvent.message(said('Hello, directly.')));
      bus.finished();
      return;
    }
    bus.publish(AgentEvent.task({
      id: taskId, contextId, status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: new Date().toISOString() },
      artifacts: [], history: [userMessage], metadata: undefined,
    }));
    moved(TaskState.TASK_STATE_WORKING);
    switch (does) {
      case 'data':
        made(data({ answer: 'Hello.', parts: userMessage.parts.map((p) => p.content.$case), files: userMessage.parts.map((p) => p.filename).filter(Boolean) }));
        moved(TaskState.TASK_STATE_COMPLETED);
        break;
      case 'text':
        made(text('Hello, '), text('in words.'));
        moved(TaskState.TASK_STATE_COMPLETED);
        break;
      case 'ask':
        moved(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which year?');
        break;
      case 'sign':
        moved(TaskState.TASK_STATE_AUTH_REQUIRED, 'Sign in first.');
        break;
      case 'fail':
        moved(TaskState.TASK_STATE_FAILED, 'It cannot be done.');
        break;
      case 'refuse':
        moved(TaskState.TASK_STATE_REJECTED, 'Not here.');
        break;
      case 'hang':
        await new Promise((stop) => this.#stopped.set(taskId, stop));
        moved(TaskState.TASK_STATE_CANCELED);
        break;
    }
    bus.finished();
  }

  async cancelTask(taskId) {
    console.log('cancel');
    this.#stopped.get(taskId)?.();
  }
}

const app = express();
const server = app.listen(0, '127.0.0.1', () => {
  const port = server.address().port;
  const at = { JSONRPC: '/jsonrpc', 'HTTP+JSON': '/rest' };
  const card = {
    name: 'peer', description: 'An agent of another make.', version: '1',
    supportedInterfaces: [{ url: `http://127.0.0.1:${port}${at[binding]}`, protocolBinding: binding, tenant: '', protocolVersion: '1.0' }],
    provider: undefined, documentationUrl: undefined, iconUrl: undefined,
    capabilities: { streaming: process.argv[3] !== 'poll', pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {}, securityRequirements: [], signatures: [],
    defaultInputModes: ['text/plain', 'application/json'], defaultOutputModes: ['application/json', 'text/plain'],
    skills: [{ id: 'answer', name: 'answer', description: 'Answers.', tags: ['answer'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Executor());
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/' + AGENT_CARD_PATH, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  console.log(`listening ${port}`);
});
process.stdin.on('end', () => process.exit(0)).resume();
