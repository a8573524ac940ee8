// Drive an agent with the official JavaScript client, @a2a-js/sdk 1.3, over JSON-RPC and HTTP+JSON of A2A 1.0.
//
// Usage: client.mjs URL [PREFIX]. A message whose id begins with PREFIX leaves its task waiting for input; without one,
// subscribing to the ended task and canceling it must be refused. Prints one JSON object a step; exits 0 when all are ok.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";

import { Role, TaskState } from "@a2a-js/sdk";
import { AgentCardResolver, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";

const TEXT = "The tide table hangs beside the door.";
const WEBHOOK = "https://hooks.example.com/csbond";
const PATIENCE_MS = 20_000;
const ANSWERED = [TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_INPUT_REQUIRED];

const [url, prefix = ""] = process.argv.slice(2);
let failed = 0;

async function run(step, call) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    console.log(JSON.stringify({ step, ok: true, detail: (await Promise.race([call(), late])) ?? "" }));
  } catch (problem) {
    failed += 1;
    console.log(JSON.stringify({ step, ok: false, detail: `${problem?.name}: ${problem?.message}` }));
  } finally {
    clearTimeout(timer);
  }
}

function said(start = "peer") {
  const part = { content: { $case: "text", value: TEXT }, metadata: undefined, filename: "", mediaType: "" };
  const ids = { messageId: `${start}-${randomUUID()}`, contextId: "", taskId: "" };
  const rest = { role: Role.ROLE_USER, parts: [part], metadata: undefined, extensions: [], referenceTaskIds: [] };
  return { tenant: "", message: { ...ids, ...rest }, configuration: undefined, metadata: undefined };
}

function stateOf(event) {
  const { $case: kind, value } = event.payload;
  return kind === "task" || kind === "statusUpdate" ? value.status.state : undefined;
}

async function refused(reason, call) {
  try {
    await call();
  } catch (problem) {
    assert.match(`${problem.name}: ${problem.message}`, reason);
    return `refused: ${problem.name}`;
  }
  throw new Error("it was not refused");
}

async function waitingTask(client) {
  const task = await client.sendMessage(said(prefix));
  assert.equal(task.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  return task;
}

async function subscribe(client, task) {
  if (!prefix) {
    const ended = client.resubscribeTask({ tenant: "", id: task.id });
    return refused(/UnsupportedOperation/, () => ended.next());
  }
  const waiting = await waitingTask(client);
  const events = client.resubscribeTask({ tenant: "", id: waiting.id });
  const first = await events.next();
  assert.equal(first.value.payload.$case, "task");
  assert.equal(first.value.payload.value.id, waiting.id);
  await client.cancelTask({ tenant: "", id: waiting.id, metadata: undefined });
  const states = [];
  for await (const event of events) states.push(stateOf(event));
  assert.equal(states.at(-1), TaskState.TASK_STATE_CANCELED);
  return "snapshot, then the end";
}

async function cancel(client, task) {
  if (!prefix) {
    return refused(/TaskNotCancelable/, () => client.cancelTask({ tenant: "", id: task.id, metadata: undefined }));
  }
  const waiting = await waitingTask(client);
  const canceled = await client.cancelTask({ tenant: "", id: waiting.id, metadata: undefined });
  assert.equal(canceled.status.state, TaskState.TASK_STATE_CANCELED);
  return "canceled";
}

async function push(client, task) {
  const at = { tenant: "", taskId: task.id, id: "hook" };
  await client.createTaskPushNotificationConfig({ ...at, url: WEBHOOK, token: "quay", authentication: undefined });
  assert.equal((await client.getTaskPushNotificationConfig(at)).url, WEBHOOK);
  const all = { tenant: "", taskId: task.id, pageSize: 10, pageToken: "" };
  assert.deepEqual((await client.listTaskPushNotificationConfig(all)).configs.map((each) => each.id), ["hook"]);
  await client.deleteTaskPushNotificationConfig(at);
  assert.deepEqual((await client.listTaskPushNotificationConfig(all)).configs, []);
  return "set, got, listed, deleted";
}

async function visit(card, binding, factory) {
  const client = await new ClientFactory({ transports: [factory] }).createFromAgentCard(card);
  let task;
  await run(`${binding} send`, async () => {
    assert.equal(client.protocolVersion, "1.0");
    task = await client.sendMessage(said());
    assert.ok(ANSWERED.includes(task.status?.state), JSON.stringify(task));
    return `state ${TaskState[task.status.state]}`;
  });
  await run(`${binding} stream`, async () => {
    const events = [];
    for await (const event of client.sendMessageStream(said())) events.push(event);
    assert.equal(events[0].payload.$case, "task");
    const states = events.map(stateOf).filter((state) => state !== undefined);
    assert.ok(ANSWERED.includes(states.at(-1)), `last state ${states.at(-1)}`);
    return `${events.length} events`;
  });
  await run(`${binding} get`, async () => {
    const found = await client.getTask({ tenant: "", id: task.id });
    assert.equal(found.contextId, task.contextId);
    assert.ok(found.history.some((message) => message.parts.some((part) => part.content?.value === TEXT)));
    return `${found.history.length} messages`;
  });
  await run(`${binding} get_unknown`, () =>
    refused(/TaskNotFound/, () => client.getTask({ tenant: "", id: randomUUID() })),
  );
  await run(`${binding} list`, async () => {
    const page = await client.listTasks({ contextId: task.contextId, pageSize: 10 });
    assert.deepEqual(page.tasks.map((each) => each.id), [task.id]);
    return `${page.totalSize} in the context`;
  });
  await run(`${binding} push`, () => push(client, task));
  await run(`${binding} subscribe`, () => subscribe(client, task));
  await run(`${binding} cancel`, () => cancel(client, task));
}

let card;
await run("card", async () => {
  card = await AgentCardResolver.default.resolve(url);
  return card.name;
});
if (card) {
  await visit(card, "JSONRPC", new JsonRpcTransportFactory());
  await visit(card, "HTTP+JSON", new RestTransportFactory());
}
process.exit(failed ? 1 : 0);
