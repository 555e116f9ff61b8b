import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Address, type Hex, parseEther } from "viem";
import { custodyEnv } from "#test/e2e/documents/startTradingService.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

// Guarantee: a program that proposes a payment over MCP cannot confirm it, with its owner's token
// or without, from any page; its owner, signed in on our own page, confirms it and it is paid once.

const PAGE = "https://app.example";
const EVIL = "https://evil.example";
const SECRET = /[A-Za-z0-9_-]{43}/;
/** Headers by which each of these callers comes: without and with the owner's token. */
const PROGRAMS: Record<string, string>[] = [
	{},
	{ origin: EVIL },
	{ origin: "null" },
	{ "sec-fetch-site": "cross-site" },
	{ "sec-fetch-site": "same-origin" },
];

let anvil: Anvil;
let custody: CustodyEmulator;
let service: TestService;
let tokens: Record<"ada" | "ben" | "fay", string>;
const clients: Client[] = [];
let asked = 0;

beforeAll(async () => {
	anvil = await startAnvil();
	custody = await startCustodyEmulator({ rpcUrl: anvil.url });
	service = await startTestService({
		chain: anvil,
		scanFrom: null,
		env: {
			...custodyEnv(custody),
			PLUGINS_DISABLED:
				"chain-scanner,looksrare,market-index,nft-buys,provider,prices,reveal-snipe,streams",
			PLUGINS: join(import.meta.dir, "kills/pricesStandIn.ts"),
			STAND_IN_COIN: `0x${"c0".repeat(20)}`,
			PUBLIC_URL: PAGE,
			TRADING_DRY_RUN: "false",
		},
	});
	const tokenOf = (name: string) => custody.token({ userId: custody.person(name).id });
	tokens = { ada: tokenOf("ada"), ben: tokenOf("ben"), fay: tokenOf("fay") };
	for (const by of ["ada", "ben", "fay"] as const) {
		expect((await ask("/v1/trading/enrollment", { by, body: {} })).status).toBe(200);
	}
});
afterAll(async () => {
	await Promise.all(clients.map((client) => client.close()));
	await service?.stop();
	await service?.database.drop();
	await Promise.all([custody?.stop(), anvil?.stop()]);
});

type Call = { by?: keyof typeof tokens; headers?: Record<string, string>; body?: unknown };

async function ask(path: string, { by, headers = {}, body }: Call = {}) {
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
			...(by && { authorization: `Bearer ${tokens[by]}` }),
			...(body !== undefined && { "content-type": "application/json" }),
			...headers,
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

/** Connects a program; with `shown` it can show its user an address, and keeps what it was told. */
async function connect(by: keyof typeof tokens, shown?: unknown[]): Promise<Client> {
	const client = new Client(
		{ name: "program", version: "1" },
		shown && { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: "auto" } },
	);
	if (shown) {
		client.setRequestHandler("elicitation/create", async ({ params }) => {
			shown.push(params);
			return { action: "accept" };
		});
	}
	const headers = { authorization: `Bearer ${tokens[by]}` };
	const url = new URL(`${service.url}/v1/agent/mcp`);
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	clients.push(client);
	return client;
}

const propose = (client: Client, to: Address) =>
	client.callTool({ name: "prepare_send_eth", arguments: { amount: "0.1", to, chain: "anvil" } });
const balanceOf = async (address: Address) =>
	BigInt(await anvil.rpc<Hex>("eth_getBalance", [address, "latest"]));
const proposedFor = (to: Address) =>
	service.core.db.query<{ id: string; status: string }>(
		"select id, status from wallets.intent where request->>'recipient' = $1",
		[to],
	);

/** Tries each way in that a program has, and returns the answers that were not refused. */
async function attack(id: string): Promise<string[]> {
	const passed: string[] = [];
	const planHash = `0x${"0".repeat(64)}`;
	for (const headers of PROGRAMS) {
		for (const by of [undefined, "ada", "ben"] as const) {
			const who = { headers, ...(by && { by }) };
			const calls: [string, unknown?][] = [
				[`/v1/links/${id}`],
				[`/v1/links/${id}/outcome`],
				[`/v1/links/${id}`, { planHash }],
				[`/v1/links/${id}`, { transactionHash: planHash }],
				["/v1/links", { intentId: id }],
			];
			for (const [path, body] of calls) {
				const { status } = await ask(path, { ...who, ...(body !== undefined && { body }) });
				const name = `${body ? "POST" : "GET"} ${path} ${JSON.stringify(who)}: ${status}`;
				if (![401, 403, 404].includes(status)) passed.push(name);
			}
		}
	}
	return passed;
}

describe("a payment that a program proposes over MCP", () => {
	const PAID: Address = `0x${"a1".repeat(20)}`;

	test("the tool's answer has an id and an address, and no secret", async () => {
		const answer = await propose(await connect("ada"), PAID);
		expect(answer.isError).toBeFalsy();
		const [intent] = await proposedFor(PAID);
		expect(answer.structuredContent).toMatchObject({
			...{ id: intent?.id, status: "confirmation_required" },
			confirmUrl: `${PAGE}/links/${intent?.id}`,
		});
		expect(JSON.stringify(answer)).not.toMatch(SECRET);
	});

	test("no program confirms it, without a session, with one, or from another page", async () => {
		const [intent] = await proposedFor(PAID);
		expect(await attack(intent?.id ?? "")).toEqual([]);
		expect(await balanceOf(PAID)).toBe(0n);
		expect(await proposedFor(PAID)).toMatchObject([{ status: "confirmation_required" }]);
	});

	test("its owner confirms it on our page, signed in there, and it is paid once", async () => {
		const [intent] = await proposedFor(PAID);
		const page = await fetch(`${service.url}/links/${intent?.id}`);
		expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
		const headers = { origin: PAGE };
		const made = await ask("/v1/links", { by: "ada", headers, body: { intentId: intent?.id } });
		expect(made.status).toBe(201);
		const link = `/v1${new URL(made.body.url).pathname}`;
		const { planHash, transactions } = (await ask(link, { headers })).body;
		expect(transactions).toMatchObject([{ recipient: PAID }]);
		const body = { planHash };
		// The link is its own proof, and no other page may bring it here, nor another's session.
		for (const foreign of [{ origin: EVIL }, { origin: "null" }] as const) {
			expect((await ask(link, { headers: foreign, body })).status).toBe(403);
			expect((await ask(link, { headers: foreign })).status).toBe(403);
		}
		expect((await ask(link, { by: "ben", headers, body })).status).toBe(404);
		const yes = await Promise.all(
			Array.from({ length: 6 }, () => ask(link, { by: "ada", headers, body })),
		);
		expect(yes.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
		await until(async () => (await balanceOf(PAID)) > 0n, "it is paid");
		await until(async () => (await proposedFor(PAID))[0]?.status === "confirmed", "confirmed");
		expect(await balanceOf(PAID)).toBe(parseEther("0.1"));
		expect(await proposedFor(PAID)).toHaveLength(1);
		const payer = custody.person("ada").wallet?.address;
		expect(await anvil.rpc<Hex>("eth_getTransactionCount", [payer, "latest"])).toBe("0x1");
	});
});

test("a client that shows addresses shows one without a secret, and one proposal keeps one id", async () => {
	const to: Address = `0x${"b2".repeat(20)}`;
	const shown: unknown[] = [];
	const answer = await propose(await connect("ada", shown), to);
	const [intent, ...more] = await proposedFor(to);
	expect(more).toEqual([]);
	expect(answer.structuredContent).toMatchObject({ id: intent?.id });
	expect(shown).toMatchObject([{ mode: "url", url: `${PAGE}/links/${intent?.id}` }]);
	expect(JSON.stringify([shown, answer])).not.toMatch(SECRET);
	expect(await attack(intent?.id ?? "")).toEqual([]);
	expect(await balanceOf(to)).toBe(0n);
});

test("what an owner's own wallet is asked to sign has an address too, and no secret", async () => {
	const to: Address = `0x${"c3".repeat(20)}`;
	const answer = await propose(await connect("fay"), to);
	const [intent] = await proposedFor(to);
	expect(answer.structuredContent).toMatchObject({
		...{ id: intent?.id, status: "signature_required" },
		signUrl: `${PAGE}/links/${intent?.id}`,
	});
	expect(JSON.stringify(answer)).not.toMatch(SECRET);
});
