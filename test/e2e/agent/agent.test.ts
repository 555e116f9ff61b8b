import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { runCommand } from "#api/cli/runCommand.ts";
import { builtinTools } from "#test/agent/builtinCommands.ts";
import { type AgentWorld, openAgentWorld } from "#test/e2e/agent/openAgentWorld.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a plugin's tools and commands are available in every channel without further code, and
// no channel does more than its caller may.

const SLUG = "kiln-folk";
const ANNA = `0x${"a1".repeat(20)}`;
const BERT = `0x${"b2".repeat(20)}`;
const CARL = `0x${"c3".repeat(20)}`;
const DORA = `0x${"d4".repeat(20)}`;
const EMMA = `0x${"e5".repeat(20)}`;
const FAYE = `0x${"f6".repeat(20)}`;
const TENTH = 10n ** 17n;
const TIDE = { place: "harbor", water: "high", atMs: expect.any(Number) };

let world: AgentWorld;
beforeAll(async () => {
	world = await openAgentWorld(SLUG);
	await world.lab.runJob("discovery");
	await world.lab.drainQueue();
	const enrolled = await world.post("/v1/trading/enrollment", {}, { by: "ada" });
	expect(enrolled.status).toBe(200);
});
afterAll(() => world?.close());

async function balanceOf(address: string): Promise<bigint> {
	return BigInt(String(await world.lab.rpc.call("eth_getBalance", [address, "latest"])));
}

/** Returns the intents that pay an address, by whichever channel they were asked for. */
function sentTo(address: string) {
	return world.service.core.db.query<{ id: string; status: string }>(
		"select id, status from wallets.intent where request->>'recipient' = $1 order by created_at",
		[address],
	);
}

async function confirms(want: boolean): Promise<void> {
	const change = { requireTradeConfirmation: want };
	const { status, body } = await world.post("/v1/trading/profile", change, { by: "ada" });
	expect([status, body]).toMatchObject([200, change]);
}

describe("[SOC-09] a plugin's command", () => {
	test("a plugin's command is answered in the API, with the age of its figures", async () => {
		const { status, body } = await world.command("tide at harbor");
		expect(status).toBe(200);
		expect(body).toMatchObject({ kind: "done", command: "tide harbor", data: TIDE, code: null });
		expect(body.line).toMatch(/^harbor: water high · \d+ s ago$/);
	});

	test("a plugin's command is read with the names that the plugin provides", async () => {
		const { body } = await world.command("yo hows the water at bad idea cove");
		expect(body).toMatchObject({ kind: "done", command: "tide bad idea cove", isProposal: false });
	});

	test("a plugin's command is answered in chat", async () => {
		const api = `${world.service.url}/v1/agent/chat`;
		const chat = new Chat({ transport: new DefaultChatTransport({ api }) });
		await chat.sendMessage({ text: "tide harbor" });
		expect(chat.lastMessage?.parts).toMatchObject([
			{ type: "tool-read_tide", state: "output-available", output: TIDE },
			{ type: "text", text: expect.stringContaining("harbor: water high") },
			{ type: "data-reply", data: { kind: "done" } },
		]);
	});

	test("a plugin's command is answered over MCP", async () => {
		const client = await world.mcp();
		const { tools } = await client.listTools();
		expect(tools.find(({ name }) => name === "read_tide")).toMatchObject({
			title: "Tide",
			annotations: { readOnlyHint: true },
		});
		// No tool that moves anything is offered, whichever plugin added it.
		const { tools: all } = (await world.service.get("/v1/agent/tools")).body;
		const open = all.filter((one: any) => one.effect === "read" && one.access === "everybody");
		expect(tools.map(({ name }) => name).sort()).toEqual(open.map(({ name }: any) => name));
		const answer = await client.callTool({ name: "read_tide", arguments: { place: "harbor" } });
		expect(answer.structuredContent).toEqual(TIDE);
		await client.close();
	});

	test("a plugin's command is answered in a terminal, with an exit code", async () => {
		const good = await world.ask("tide", "harbor");
		expect(good).toMatchObject({ code: 0, notes: [] });
		expect(good.out[0]).toStartWith("harbor: water high");
		const bad = await world.ask("tide");
		expect(bad.code).toBe(1);
		const gone = runCommand(["ask", "--url", "http://127.0.0.1:1", "x"], {
			env: {},
			out: () => {},
			note: () => {},
		});
		await expect(gone).rejects.toMatchObject({ code: "ask_failed" });
	});

	test("a plugin's command is listed in the help, and its tool is listed with schemas", async () => {
		const { body } = await world.command("help tide");
		expect(body.line).toContain("Whether the water is high or low");
		expect((await world.command("help tides")).body.data).toMatchObject({
			commands: [{ command: "tide", examples: ["tide harbor"], access: "everybody" }],
		});
		const { tools } = (await world.service.get("/v1/agent/tools")).body;
		expect(tools.find(({ name }: any) => name === "read_tide")).toMatchObject({
			commands: ["tide <place>"],
			inputSchema: { type: "object", required: ["place"] },
		});
		// The proofs about the commands of all plugins hold for exactly these tools.
		const ours = builtinTools.map(({ name }) => name);
		expect(tools.map(({ name }: any) => name).sort()).toEqual([...ours, "read_tide"].sort());
	});

	test("a plugin's command may be written by the model, with words of the author's text", async () => {
		world.model.fault({ kind: "hostile", command: "tide harbor", times: 2 });
		const told = await world.command("what about the tide out at the harbor");
		expect(told.body).toMatchObject({ kind: "done", command: "tide harbor", isProposal: true });
		expect((await world.command("would you kindly look outside")).body).toMatchObject({
			kind: "help",
		});
		world.model.fault({ kind: "hostile", times: 1 });
		const { out, notes } = await world.ask("please be so kind");
		expect({ notes, isHelp: out[0]?.includes("Try") }).toEqual({ notes: [], isHelp: true });
	});
});

describe("a question about the market", () => {
	test("a question gets the HTTP route's answer, in one line with its age", async () => {
		const { body } = await world.command("hey whats the floor of kiln folk rn?");
		expect(body).toMatchObject({ kind: "done", command: "floor kiln folk", tool: "read_floor" });
		const detail = await world.lab.read(`/collections/${SLUG}`);
		expect(body.data.floor.value).toBeGreaterThan(0);
		expect(body.data).toMatchObject({
			collection: { slug: SLUG, contractAddress: world.lab.addressOf(SLUG) },
			floor: detail.figures.floorNative,
			change24h: detail.figures.floorChange24hPercent,
		});
		expect(body.line).toMatch(/floor \d.*ETH.* · \d+ \w+ ago$/);
		expect([...body.line].length).toBeLessThanOrEqual(200);
		expect(Date.parse(body.asOf)).toBeLessThanOrEqual(world.lab.nowMs());
	});

	test("a question is read with the names in the index if its words alone are ambiguous", async () => {
		const asked = world.model.requests().length;
		for (const [text, command] of [
			["Kiln Folk", "collection Kiln Folk"],
			["so what stage is kiln folk in now", "lifecycle kiln folk"],
			["show me kiln-folk please", "collection kiln-folk"],
		] as const) {
			const { body } = await world.command(text);
			expect([text, body.kind, body.command]).toEqual([text, "done", command]);
		}
		expect(world.model.requests()).toHaveLength(asked);
	});

	test("[SOC-07] a question gets the same answer in the API, in chat and in a terminal, without a model", async () => {
		const text = "how many holders does the kiln folk collection have";
		const asked = world.model.requests().length;
		const { body } = await world.command(text);
		expect(body).toMatchObject({ kind: "done", tool: "read_holders", isProposal: false });
		const api = `${world.service.url}/v1/agent/chat`;
		const chat = new Chat({ transport: new DefaultChatTransport({ api }) });
		await chat.sendMessage({ text });
		const last: any = chat.lastMessage?.parts.at(-1);
		expect(last.data.command).toBe(body.command);
		const { code, out } = await world.ask(text);
		expect(code).toBe(0);
		expect(out[0]?.split(" · ")[0]).toBe(body.line.split(" · ")[0]);
		expect(world.model.requests()).toHaveLength(asked);
	});
});

describe("sending", () => {
	test("an author's strict command is executed once for each idempotency key", async () => {
		await confirms(false);
		const text = `send 0.1 eth to ${ANNA}`;
		const first = await world.command(text, { by: "ada", key: "rent-of-may" });
		expect(first.body).toMatchObject({ kind: "done", tool: "send_eth", command: text, links: [] });
		const again = await world.command(text, { by: "ada", key: "rent-of-may" });
		expect(again.body.data.id).toBe(first.body.data.id);
		await until(
			async () => (await sentTo(ANNA))[0]?.status === "confirmed",
			() => "the transfer is confirmed",
		);
		const last = await world.command(text, { by: "ada", key: "rent-of-may" });
		expect(last.body.data.id).toBe(first.body.data.id);
		const other = await world.command(text.replace("0.1", "0.2"), {
			by: "ada",
			key: "rent-of-may",
		});
		expect(other.body).toMatchObject({ kind: "refused", code: "idempotency_conflict" });
		expect(await sentTo(ANNA)).toHaveLength(1);
		expect(await balanceOf(ANNA)).toBe(TENTH);
	});

	test("a message in chat is executed once, however often it is sent", async () => {
		const transport = new DefaultChatTransport({
			api: `${world.service.url}/v1/agent/chat`,
			headers: { authorization: `Bearer ${world.tokenOf("ada")}` },
		});
		const chat = new Chat({ transport });
		await chat.sendMessage({ text: `send 0.1 eth to ${EMMA}` });
		await chat.regenerate();
		await until(
			async () => (await sentTo(EMMA))[0]?.status === "confirmed",
			() => "the transfer is confirmed",
		);
		await chat.regenerate();
		expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ data: { kind: "done" } });
		expect(await sentTo(EMMA)).toHaveLength(1);
		expect(await balanceOf(EMMA)).toBe(TENTH);
	});

	test("a transfer beyond the limits, or from a wallet that its owner signs for, sends nothing", async () => {
		const much = await world.command(`send 900 eth to ${BERT}`, { by: "ada" });
		expect(much.body.data).toMatchObject({ status: "rejected", errorCode: "per_trade_limit" });
		const enrolled = await world.post("/v1/trading/enrollment", {}, { by: "ben" });
		expect(enrolled.status).toBe(200);
		const manual = await world.command(`send 0.1 eth to ${BERT}`, { by: "ben" });
		expect(manual.body).toMatchObject({
			kind: "done",
			data: { status: "signature_required" },
			links: [{ rel: "sign" }],
		});
		expect(await balanceOf(BERT)).toBe(0n);
	});

	test("a transfer without a session sends nothing", async () => {
		const { body } = await world.command(`send 0.1 eth to ${FAYE}`);
		expect(body).toMatchObject({ kind: "refused", code: "unauthorized", data: null });
		expect(await sentTo(FAYE)).toEqual([]);
	});

	test("a transfer asks by a link if its owner requires that, and sends what the link showed", async () => {
		await confirms(true);
		const { body } = await world.command(`send 0.1 eth to ${BERT}`, { by: "ada", key: "b" });
		expect(body).toMatchObject({
			kind: "done",
			tool: "send_eth",
			data: { status: "confirmation_required" },
			links: [{ rel: "confirm" }],
		});
		expect(await balanceOf(BERT)).toBe(0n);
		await sayYes(body.links[0].url);
		await until(
			async () => (await balanceOf(BERT)) === TENTH,
			() => "what the link showed arrives",
		);
		await confirms(false);
	});

	test("a transfer over MCP is prepared, and waits for its owner's confirmation, for any settings", async () => {
		const client = await world.mcp("ada");
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toContain("prepare_send_eth");
		expect(tools.map(({ name }) => name)).not.toContain("send_eth");
		const given = { name: "prepare_send_eth", arguments: { amount: "0.1", to: CARL } };
		const answer: any = await client.callTool(given);
		expect(answer.structuredContent).toMatchObject({ status: "confirmation_required" });
		await client.close();
		expect(await sentTo(CARL)).toMatchObject([{ status: "confirmation_required" }]);
		expect(await balanceOf(CARL)).toBe(0n);
		await sayYes(answer.structuredContent.confirmUrl);
		await until(
			async () => (await balanceOf(CARL)) === TENTH,
			() => "what was prepared arrives after a yes",
		);
	});

	test("an order that only a model reads is only proposed, never with a value that is not in the text", async () => {
		const text = `could you please give 0.1 eth over to ${DORA}`;
		const { body } = await world.command(text, { by: "ada", key: "d" });
		expect(body).toMatchObject({
			kind: "done",
			isProposal: true,
			command: `send 0.1 eth to ${DORA}`,
			tool: "prepare_send_eth",
			data: { status: "confirmation_required" },
			links: [{ rel: "confirm" }],
		});
		expect(await balanceOf(DORA)).toBe(0n);
		world.model.fault({ kind: "lying", times: 1 });
		const lied = await world.command(`and give 0.2 eth over to ${DORA}, could you`, { by: "ada" });
		expect(lied.body).toMatchObject({ kind: "help", data: null });
		expect(await sentTo(DORA)).toMatchObject([{ status: "confirmation_required" }]);
	});
});

/** Opens an address as its owner's browser does, signed in, and accepts what its link shows. */
async function sayYes(address: string): Promise<void> {
	const intentId = new URL(address).pathname.split("/").at(-1) ?? "";
	// Who has the address alone, such as the program that asked, gets no further.
	expect(intentId).toMatch(/^[0-9a-f-]{36}$/);
	expect((await world.post("/v1/links", { intentId })).status).toBe(401);
	const origin = "https://app.example";
	const made = await world.post("/v1/links", { intentId }, { by: "ada", origin });
	expect(made.status).toBe(201);
	const path = `/v1${new URL(made.body.url).pathname}`;
	const { body: shown } = await world.service.get(path);
	const { status } = await world.post(path, { planHash: shown.planHash });
	expect(status).toBe(200);
	expect((await world.post(path, { planHash: shown.planHash })).status).toBe(404);
}
