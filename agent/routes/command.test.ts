import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { ALICE } from "#agent/testing/agentLab.ts";
import { bearer, serveAgent, TOKEN } from "#agent/testing/serveAgent.ts";

let served: Awaited<ReturnType<typeof serveAgent>>;
beforeAll(async () => {
	served = await serveAgent();
});
afterAll(() => served.stop());
beforeEach(() => void served.calls.splice(0));

const SEND = { text: `send 0.1 eth to ${ALICE}` };

async function command(body: unknown, headers: Record<string, string> = {}) {
	const response = await served.post("command", body, headers);
	return { status: response.status, headers: response.headers, body: await response.json() };
}

test("200: a market question needs no session", async () => {
	const { status, headers, body } = await command({ text: "floor pale-foxes" });
	expect(status).toBe(200);
	expect(headers.get("cache-control")).toBe("no-store");
	expect(body).toMatchObject({ kind: "done", tool: "read_floor", data: { floor: "0.5" } });
});

test("200: a signed-in author's strict command executes under the author's key only", async () => {
	const { body } = await command(SEND, { ...bearer, "idempotency-key": "k1" });
	expect(body).toMatchObject({ kind: "done", tool: "send" });
	expect(served.calls).toMatchObject([
		{ tool: "send", key: "k1", caller: { authority: "author" } },
	]);
	expect((await command(SEND)).body).toMatchObject({ kind: "refused", code: "unauthorized" });
	expect(served.calls).toHaveLength(1);
});

test("401: wrong credentials are reported before anything else is checked", async () => {
	for (const body of [SEND, { text: 1 }]) {
		const answer = await command(body, { authorization: "Bearer wrong" });
		expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
	}
	expect(served.calls).toEqual([]);
});

test("a page of another origin asks as a guest: its visitor's cookie sends nothing", async () => {
	const headers = { cookie: `session=${TOKEN}`, origin: "https://evil.example" };
	const { status, body } = await command(SEND, headers);
	expect([status, body.kind, body.code]).toEqual([200, "refused", "unauthorized"]);
	expect(served.calls).toEqual([]);
});

test("422: a body of another form, and a text that is too long", async () => {
	for (const body of [{}, { text: 1 }, { text: "x", more: 1 }, { text: "x".repeat(10_001) }, []]) {
		expect(await command(body)).toMatchObject({ status: 422, body: { code: "validation_error" } });
	}
	expect(await command("{")).toMatchObject({ status: 400 });
});

test("200: the list names every tool with its effect and its schemas", async () => {
	const response = await fetch(`${served.url}/v1/agent/tools`);
	const { tools } = (await response.json()) as { tools: Record<string, unknown>[] };
	expect(tools.map(({ name, effect, access }) => [name, effect, access])).toEqual([
		["cancel", "execute", "profile"],
		["prepare_send", "prepare", "profile"],
		["read_floor", "read", "everybody"],
		["read_help", "read", "everybody"],
		["send", "execute", "profile"],
	]);
	expect(tools[2]).toMatchObject({
		capability: "market",
		commands: ["floor <collection>"],
		inputSchema: { type: "object", properties: { collection: { type: "string", maxLength: 40 } } },
		outputSchema: { type: "object", required: ["name", "floor"], additionalProperties: false },
	});
});
