// Drive an agent with the official JavaScript client of A2A 0.3, @a2a-js/sdk 0.3.14, over JSON-RPC and HTTP+JSON.
//
// Usage: client.mjs URL [PREFIX]. A message whose id begins with PREFIX leaves its task waiting for input; without one,
// resubscribing to the ended task and canceling it must be refused. Prints one JSON object a step; exits 0 when all are
// ok.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";

import { AgentCardResolver, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";

const TEXT = "The tide table hangs beside the door.";
const WEBHOOK = "https://hooks.example.com/csbond";
const PATIENCE_MS = 20_000;
const ANSWERED = ["completed", "input-required"];

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
  const parts = [{ kind: "text", text: TEXT }];
  return { message: { kind: "message", messageId: `${start}-${randomUUID()}`, role: "user", parts } };
}

// HTTP+JSON of 0.3 leaves the body of an error open; its status must say that the request was the client's mistake.
async function refused(reason, call) {
  try {
    await call();
  } catch (problem) {
    const told = `${problem.constructor.name}: ${problem.message}`;
    assert.match(told, new RegExp(`${reason}|Status: 4\\d\\d`, "i"));
    return `refused: ${told}`;
  }
  throw new Error("it was not refused");
}

async function waitingTask(client) {
  const task = await client.sendMessage(said(prefix));
  assert.equal(task.status.state, "input-required");
  return task;
}

async function resubscribe(client, task) {
  if (!prefix) return refused("UnsupportedOperation|-32004", () => client.resubscribeTask({ id: task.id }).next());
  const waiting = await waitingTask(client);
  const events = client.resubscribeTask({ id: waiting.id });
  const first = await events.next();
  assert.equal(first.value.kind, "task");
  assert.equal(first.value.id, waiting.id);
  await client.cancelTask({ id: waiting.id });
  const rest = [];
  for await (const event of events) rest.push(event);
  assert.equal(rest.at(-1).status.state, "canceled");
  return "snapshot, then the end";
}

async function cancel(client, task) {
  if (!prefix) return refused("TaskNotCancelable|-32002", () => client.cancelTask({ id: task.id }));
  const waiting = await waitingTask(client);
  assert.equal((await client.cancelTask({ id: waiting.id })).status.state, "canceled");
  return "canceled";
}

async function push(client, task) {
  const pushNotificationConfig = { id: "hook", url: WEBHOOK, token: "quay" };
  const kept = await client.setTaskPushNotificationConfig({ taskId: task.id, pushNotificationConfig });
  assert.equal(kept.pushNotificationConfig.url, WEBHOOK);
  const at = { id: task.id, pushNotificationConfigId: "hook" };
  assert.equal((await client.getTaskPushNotificationConfig(at)).pushNotificationConfig.url, WEBHOOK);
  const listed = await client.listTaskPushNotificationConfig({ id: task.id });
  assert.deepEqual(listed.map((each) => each.pushNotificationConfig.id), ["hook"]);
  await client.deleteTaskPushNotificationConfig(at);
  assert.deepEqual(await client.listTaskPushNotificationConfig({ id: task.id }), []);
  return "set, got, listed, deleted";
}

async function visit(card, binding, factory) {
  const client = await new ClientFactory({ transports: [factory] }).createFromAgentCard(card);
  let task;
  await run(`${binding} send`, async () => {
    task = await client.sendMessage(said());
    assert.ok(ANSWERED.includes(task.status?.state), JSON.stringify(task));
    return task.status.state;
  });
  await run(`${binding} stream`, async () => {
    const events = [];
    for await (const event of client.sendMessageStream(said())) events.push(event);
    assert.equal(events[0].kind, "task");
    assert.equal(events.at(-1).final, true);
    assert.ok(ANSWERED.includes(events.at(-1).status.state), events.at(-1).status.state);
    return `${events.length} events`;
  });
  await run(`${binding} get`, async () => {
    const found = await client.getTask({ id: task.id });
    assert.equal(found.contextId, task.contextId);
    assert.ok(found.history.some((message) => message.parts.some((part) => part.text === TEXT)));
    return `${found.history.length} messages`;
  });
  await run(`${binding} get_unknown`, () =>
    refused("TaskNotFound|-32001", () => client.getTask({ id: randomUUID() })),
  );
  await run(`${binding} push`, () => push(client, task));
  await run(`${binding} resubscribe`, () => resubscribe(client, task));
  await run(`${binding} cancel`, () => cancel(client, task));
}

let card;
await run("card", async () => {
  card = await AgentCardResolver.default.resolve(url);
  return `${card.name}, protocol ${card.protocolVersion}`;
});
if (card) {
  await visit(card, "JSONRPC", new JsonRpcTransportFactory());
  await visit(card, "HTTP+JSON", new RestTransportFactory());
}
process.exit(failed ? 1 : 0);
