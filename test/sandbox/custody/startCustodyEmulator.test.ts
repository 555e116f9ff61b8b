import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createPrivateKey, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress } from "viem";
import { DAY_MS } from "#core/time.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startRpcProxy } from "#test/harness/proxies.ts";
import { createActors } from "../World.ts";
import type { Person } from "./people.ts";
import { type CustodyEmulator, startCustodyEmulator } from "./startCustodyEmulator.ts";

let anvil: Anvil;
let emulator: CustodyEmulator;
let ada: Person;
let nowMs = 0;
const clock = { nowMs: () => Date.now() + nowMs };

beforeAll(async () => {
	anvil = await startAnvil();
	emulator = await startCustodyEmulator({ rpcUrl: anvil.url, clock });
	ada = emulator.person("ada");
});

afterAll(async () => {
	await emulator?.stop();
	await anvil?.stop();
});

beforeEach(() => {
	emulator.clearFaults();
	emulator.clearCalls();
	nowMs = 0;
});

const basic = ({ appId, appSecret }: CustodyEmulator) => ({
	authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString("base64")}`,
	"privy-app-id": appId,
});

async function get(path: string, of = emulator) {
	const response = await fetch(`${of.url}${path}`, { headers: basic(of) });
	return { status: response.status, body: (await response.json()) as any };
}

/** Sends a signed request as the service does; the canonical text is written by hand here. */
async function rpc(
	body: Record<string, unknown>,
	options: { key?: string; expiresInMs?: number; of?: CustodyEmulator; walletId?: string } = {},
) {
	const { of = emulator, key, expiresInMs, walletId = ada.wallet?.id } = options;
	const url = `${of.url}/v1/wallets/${walletId}/rpc`;
	const signed: Record<string, string> = { "privy-app-id": of.appId };
	if (key !== undefined) signed["privy-idempotency-key"] = key;
	if (expiresInMs !== undefined) {
		signed["privy-request-expiry"] = String(clock.nowMs() + expiresInMs);
	}
	const payload = sorted({ version: 1, method: "POST", url, body, headers: signed });
	const pkcs8 = Buffer.from(of.authorizationKey.replace("wallet-auth:", ""), "base64");
	const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
	const signature = sign("sha256", Buffer.from(JSON.stringify(payload)), privateKey);
	const headers = {
		...basic(of),
		...signed,
		"privy-authorization-signature": signature.toString("base64"),
		"content-type": "application/json",
	};
	const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
	const text = await response.text();
	await anvil.mined();
	return { status: response.status, text, body: JSON.parse(text) };
}

function sorted(value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, inner]) => [name, sorted(inner)]),
	);
}

async function send(changed: Record<string, unknown> = {}, referenceId: string = randomUUID()) {
	const nonce = await anvil.rpc<Hex>("eth_getTransactionCount", [ada.wallet?.address, "latest"]);
	return {
		method: "eth_sendTransaction",
		caip2: "eip155:31337",
		chain_type: "ethereum",
		reference_id: referenceId,
		params: { transaction: { to: `0x${"aa".repeat(20)}`, value: "0x1", nonce, ...changed } },
	};
}

describe("the wallet provider of a sandbox", () => {
	test("the provider has keys that neither people nor the world's traders have, with money on them", async () => {
		const traders = createActors(400).map(({ address }) => address);
		const own = await anvil.rpc<Hex[]>("eth_accounts");
		for (const { wallet } of emulator.people()) {
			if (!wallet) continue;
			expect(traders).not.toContain(wallet.address);
			expect(own.map((one) => one.toLowerCase())).not.toContain(wallet.address.toLowerCase());
			const balance = await anvil.rpc<Hex>("eth_getBalance", [wallet.address, "latest"]);
			expect(BigInt(balance)).toBeGreaterThan(0n);
		}
	});

	test("the provider signs with the wallet's own key, as the node confirms", async () => {
		const { status, body } = await rpc(await send());
		expect(status).toBe(200);
		const mined = await anvil.rpc<{ from: Hex; hash: Hex }>("eth_getTransactionByHash", [
			body.data.hash,
		]);
		expect(mined.from).toBe(ada.wallet?.address.toLowerCase() as never);
		const looked = await get(`/v1/transactions/${body.data.transaction_id}`);
		expect(looked.body).toMatchObject({ status: "confirmed", transaction_hash: mined.hash });
	});

	test("the provider signs without broadcasting if that is requested", async () => {
		const { params } = await send();
		const { body } = await rpc({ method: "eth_signTransaction", params });
		const raw = body.data.signed_transaction;
		expect(parseTransaction(raw)).toMatchObject({ chainId: 31_337, value: 1n });
		const signer = await recoverTransactionAddress({ serializedTransaction: raw });
		expect(signer).toBe(ada.wallet?.address as never);
		expect(await anvil.rpc("eth_getTransactionByHash", [keccak256(raw)])).toBeNull();
	});

	test("the provider refuses callers other than the application, and wrong signatures", async () => {
		const body = JSON.stringify(await send());
		const path = `${emulator.url}/v1/wallets/${ada.wallet?.id}/rpc`;
		const ask = async (headers: Record<string, string>) =>
			(await fetch(path, { method: "POST", headers, body })).status;
		expect(await ask({})).toBe(401);
		expect(await ask({ ...basic(emulator), "privy-app-id": "another" })).toBe(401);
		expect(await ask(basic(emulator))).toBe(401);
		const odd = { "privy-authorization-signature": "AAAA" };
		expect(await ask({ ...basic(emulator), ...odd })).toBe(401);
		expect(
			(await rpc(await send(), { walletId: emulator.person("ben").wallet?.id ?? "" })).status,
		).toBe(401);
	});

	test("the provider does not act after the signed expiry", async () => {
		const body = await send();
		expect((await rpc(body, { expiresInMs: 0 })).status).toBe(400);
		expect((await rpc(body, { expiresInMs: -1 })).status).toBe(400);
		expect((await rpc(body, { expiresInMs: 60_000 })).status).toBe(200);
	});
});

describe("an idempotency key", () => {
	test("a repeated idempotency key is answered with the first answer's bytes, also an error", async () => {
		const body = await send();
		const key = randomUUID();
		const first = await rpc(body, { key });
		expect(first.status).toBe(200);
		expect(await rpc(body, { key })).toEqual(first);
		const poor = await send({ value: "0xffffffffffffffffffffffff" });
		const failed = await rpc(poor, { key: `${key}-poor` });
		expect(failed).toMatchObject({ status: 400, body: { code: "insufficient_funds" } });
		await anvil.rpc("anvil_setBalance", [ada.wallet?.address, "0xffffffffffffffffffffffffff"]);
		expect(await rpc(poor, { key: `${key}-poor` })).toEqual(failed);
	});

	test("an idempotency key is refused with another body, and while the first request runs", async () => {
		const key = randomUUID();
		const body = await send();
		const proxy = await startRpcProxy(anvil.url);
		const of = await startCustodyEmulator({ rpcUrl: proxy.url, clock });
		const release = proxy.hold();
		const first = rpc(body, { of, key });
		await proxy.calls("eth_sendRawTransaction", 1);
		expect((await rpc(body, { of, key })).status).toBe(409);
		release();
		expect((await first).status).toBe(200);
		expect((await rpc(await send(), { of, key })).status).toBe(400);
		await of.stop();
		proxy.stop();
	});

	test("an idempotency key is new again after a day, when only the reference prevents a second send", async () => {
		const key = randomUUID();
		const body = await send();
		expect((await rpc(body, { key })).status).toBe(200);
		nowMs = DAY_MS + 1;
		expect(await rpc(body, { key })).toMatchObject({ status: 400 });
		const { reference_id: _, ...bare } = await send();
		expect((await rpc(bare, { key: "bare" })).status).toBe(200);
		nowMs = 2 * DAY_MS + 2;
		const { nonce: __, ...open } = bare.params.transaction as Record<string, unknown>;
		const again = { ...bare, params: { transaction: open } };
		// Without a reference it pays twice: this is why the service always sends one.
		expect((await rpc(again, { key: "bare" })).status).toBe(200);
	});
});

test("a reference always belongs to one transaction, for any number of simultaneous requests", async () => {
	const reference = randomUUID();
	const body = await send({}, reference);
	const answers = await Promise.all(
		Array.from({ length: 8 }, (_, n) => rpc(body, { key: `many-${n}` })),
	);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
	const listed = await get(`/v1/transactions?reference_id=${reference}`);
	expect(listed.body.transactions).toHaveLength(1);
	expect((await get("/v1/transactions?reference_id=none")).body).toEqual({ transactions: [] });
});

test("the statuses follow the chain: reverted, replaced, and gone with a fork", async () => {
	const revert = await rpc(await send({ to: null, data: "0xfe", gas_limit: "0x186a0" }));
	expect(revert.status).toBe(400);
	// Code that always reverts.
	const trap = `0x${"bb".repeat(20)}`;
	await anvil.rpc("anvil_setCode", [trap, "0x60006000fd"]);
	const snapshot = await anvil.rpc("evm_snapshot");
	const reverted = await rpc(await send({ to: trap, gas_limit: "0x186a0" }));
	const path = `/v1/transactions/${reverted.body.data.transaction_id}`;
	expect((await get(path)).body.status).toBe("execution_reverted");
	await anvil.rpc("evm_revert", [snapshot]);
	expect((await get(path)).body.status).toBe("broadcasted");
	// Another transaction takes its nonce.
	expect((await rpc(await send())).status).toBe(200);
	expect((await get(path)).body.status).toBe("replaced");
});

test("sent, answered and added data survives a restart, but not another chain", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "custody-"));
	await anvil.rpc("evm_mine");
	const first = await startCustodyEmulator({ rpcUrl: anvil.url, dataDir });
	const added = await first.addPerson({ username: "gus" });
	const key = randomUUID();
	const body = await send();
	const answer = await rpc(body, { of: first, key });
	await first.stop();
	const second = await startCustodyEmulator({ rpcUrl: anvil.url, dataDir });
	expect(second.person("gus")).toEqual(added);
	const { transaction_id: id } = answer.body.data;
	expect((await get(`/v1/transactions/${id}`, second)).body.status).toBe("confirmed");
	expect((await rpc(body, { of: second, key: "new" })).status).toBe(400);
	await second.stop();
	const other = await startAnvil({ args: ["--timestamp", "1700000000"] });
	const third = await startCustodyEmulator({ rpcUrl: other.url, dataDir });
	expect((await get(`/v1/transactions/${id}`, third)).status).toBe(404);
	await third.stop();
	await other.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

test("an emulator of two chains signs and broadcasts on each, and on no third", async () => {
	const home = await startAnvil({ args: ["--chain-id", "4663"] });
	const both = await startCustodyEmulator({ rpcUrl: anvil.url, moreRpcUrls: [home.url] });
	const paths: string[] = [];
	for (const node of [anvil, home]) {
		const nonce = await node.rpc<Hex>("eth_getTransactionCount", [ada.wallet?.address, "latest"]);
		const sent = { ...(await send({ nonce })), caip2: `eip155:${node.chainId}` };
		const { status, body } = await rpc(sent, { of: both });
		expect(status).toBe(200);
		const known = await node.rpc<{ chainId: Hex }>("eth_getTransactionByHash", [body.data.hash]);
		expect(Number(known.chainId)).toBe(node.chainId);
		const { params } = await send({ chain_id: node.chainId });
		const signed = await rpc({ method: "eth_signTransaction", params }, { of: both });
		const raw = signed.body.data.signed_transaction;
		expect(parseTransaction(raw)).toMatchObject({ chainId: node.chainId });
		paths.push(`/v1/transactions/${body.data.transaction_id}`);
	}
	await Promise.all([anvil.mined(), home.mined()]);
	for (const path of paths) expect((await get(path, both)).body.status).toBe("confirmed");
	const third = { ...(await send()), caip2: "eip155:1" };
	expect((await rpc(third, { of: both })).status).toBe(400);
	const { params } = await send({ chain_id: 1 });
	expect((await rpc({ method: "eth_signTransaction", params }, { of: both })).status).toBe(400);
	await both.stop();
	await home.stop();
});

describe("a provider with false claims", () => {
	/** Sends one request with this claim; returns the answer, and what the list then shows. */
	async function claimed(order: object) {
		const reference = randomUUID();
		emulator.fault({ kind: "claims", path: "^POST", times: 1, ...order });
		const answer = await rpc(await send({}, reference));
		const path = `/v1/transactions?reference_id=${reference}`;
		const list = async () => (await get(path)).body.transactions[0];
		const signed = emulator.signed().find(({ referenceId }) => referenceId === reference);
		const hash = keccak256(signed?.raw ?? "0x");
		const isKnown = (await anvil.rpc("eth_getTransactionByHash", [hash])) !== null;
		return { answer, listed: await list(), list, hash, isKnown };
	}

	test("the provider claims that it sent, and sends nothing", async () => {
		const { answer, listed, list, hash, isKnown } = await claimed({ listed: "broadcasted" });
		expect({ status: answer.status, isKnown }).toEqual({ status: 200, isKnown: false });
		expect(answer.body.data.hash).toBe(hash);
		expect(listed).toMatchObject({ status: "broadcasted", transaction_hash: hash });
		// The status is corrected: a transaction that was never broadcast has failed.
		emulator.clearFaults();
		expect(await list()).toMatchObject({ status: "failed", transaction_hash: null });
	});

	test("the provider refuses, and lists a failure with a hash permanently", async () => {
		const order = { status: 400, code: "insufficient_funds", lasting: true };
		const { answer, list, hash, isKnown } = await claimed(order);
		expect({ status: answer.status, isKnown }).toEqual({ status: 400, isKnown: false });
		expect(answer.body.code).toBe("insufficient_funds");
		emulator.clearFaults();
		expect(await list()).toMatchObject({ status: "failed", transaction_hash: hash });
	});

	test("the provider claims that it failed, or lists nothing, although it sent", async () => {
		const failed = await claimed({ sends: true, status: 500 });
		expect({ status: failed.answer.status, isKnown: failed.isKnown }).toEqual({
			status: 500,
			isKnown: true,
		});
		expect(failed.listed).toMatchObject({ status: "failed", transaction_hash: failed.hash });
		const hidden = await claimed({ sends: true, listed: "nothing" });
		expect(hidden).toMatchObject({ isKnown: true, listed: undefined });
		emulator.clearFaults();
		expect(await hidden.list()).toMatchObject({ status: "confirmed" });
	});

	test("the provider returns the hash of the previous request, or an unknown one", async () => {
		const before = await rpc(await send());
		const previous = await claimed({ hash: "previous", sends: true });
		expect(previous.answer.body.data.hash).toBe(before.body.data.hash);
		emulator.clearFaults();
		const { answer, hash } = await claimed({ hash: "nobodys" });
		expect(answer.body.data.hash).not.toBe(hash);
		const named = answer.body.data.hash;
		expect(await anvil.rpc("eth_getTransactionByHash", [named])).toBeNull();
	});

	test("the provider fails for one wallet, and for no other", async () => {
		const ben = emulator.person("ben");
		emulator.fault({ kind: "status", status: 503, wallet: ben.wallet?.id ?? "" });
		const answer = await rpc(await send());
		expect(answer.status).toBe(200);
		expect((await get(`/v1/transactions/${answer.body.data.transaction_id}`)).status).toBe(200);
		expect((await get(`/v1/wallets/${ben.wallet?.id}`)).status).toBe(503);
		emulator.clearFaults();
		emulator.fault({ kind: "odd_values", value: 2 ** 64, wallet: ada.wallet?.id ?? "" });
		const odd = await get(`/v1/transactions/${answer.body.data.transaction_id}`);
		expect(odd.body).toMatchObject({ status: 2 ** 64, transaction_hash: 2 ** 64 });
	});
});

describe("the endpoints for tests and developers", () => {
	async function door(path: string, method: string, body?: unknown) {
		const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
		const response = await fetch(`${emulator.url}/_sandbox/${path}`, init);
		return { status: response.status, body: (await response.json()) as any };
	}

	test("the endpoints request faults, count calls, and reset both", async () => {
		expect((await door("faults", "POST", { kind: "nonsense" })).status).toBe(400);
		expect((await door("faults", "POST", { kind: "status", path: "(" })).status).toBe(400);
		await door("faults", "POST", { kind: "status", status: 418, times: 1 });
		expect((await get("/v1/wallets/x")).status).toBe(418);
		expect((await get("/v1/wallets/x")).status).toBe(404);
		expect((await door("calls", "GET")).body.byPath).toEqual({ "GET /v1/wallets/x": 2 });
		expect((await door("calls", "DELETE")).body.total).toBe(0);
		await door("faults", "POST", { kind: "html" });
		expect((await door("faults", "DELETE")).body.faults).toEqual([]);
	});

	test("the endpoints give tokens to any caller, users without their keys, and new users", async () => {
		const { token } = (await door("token", "POST", { userId: "ada" })).body;
		expect(token.split(".")).toHaveLength(3);
		expect((await door("token", "POST", { userId: "nobody" })).status).toBe(400);
		const made = await door("users", "POST", { username: "hal", embedded: "manual" });
		expect(made).toMatchObject({ status: 201, body: { username: "hal" } });
		expect(
			(await get(`/v1/users/${encodeURIComponent(made.body.id)}`)).body.linked_accounts,
		).toHaveLength(2);
		const users = (await door("users", "GET")).body;
		expect(JSON.stringify(users)).not.toContain("privateKey");
		expect((await door("transactions", "GET")).body.transactions.length).toBeGreaterThan(0);
		expect((await door("nowhere", "GET")).status).toBe(404);
	});
});

describe("webhooks", () => {
	/** Runs with a server that accepts every webhook, and returns what it received. */
	async function listening(work: (url: string) => Promise<void>): Promise<string[]> {
		const told: string[] = [];
		const server = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			async fetch(request) {
				told.push(((await request.json()) as { type: string }).type);
				return new Response("ok");
			},
		});
		try {
			await work(server.url.href);
			await emulator.idle();
		} finally {
			emulator.sendWebhooksTo(null);
			await server.stop(true);
		}
		return told;
	}

	test("a webhook is sent for each step of a transaction, also if the chain mines at once", async () => {
		const told = await listening(async (url) => {
			emulator.sendWebhooksTo(url);
			expect((await rpc(await send())).status).toBe(200);
		});
		expect(told).toEqual(["transaction.broadcasted", "transaction.confirmed"]);
	});

	test("a webhook is sent for a reverted transaction, and for one that no node accepted", async () => {
		const told = await listening(async (url) => {
			emulator.sendWebhooksTo(url);
			// PUSH, PUSH, REVERT.
			await anvil.rpc("anvil_setCode", [`0x${"de".repeat(20)}`, "0x60006000fd"]);
			await rpc(await send({ to: `0x${"de".repeat(20)}` }));
			await emulator.idle();
			const poor = await emulator.addPerson();
			await anvil.rpc("anvil_setBalance", [poor.wallet?.address, "0x0"]);
			await rpc(await send({ nonce: "0x0" }), { walletId: poor.wallet?.id ?? "" });
		});
		expect(told).toEqual([
			"transaction.broadcasted",
			"transaction.execution_reverted",
			"transaction.failed",
		]);
	});

	test("webhooks are sent to a developer's URL on this machine", async () => {
		const door = async (url: unknown) => {
			const body = JSON.stringify({ url });
			const path = `${emulator.url}/_sandbox/webhooks`;
			return (await fetch(path, { method: "POST", body })).status;
		};
		expect(await door("https://example.com/")).toBe(400);
		expect(await door("http://localhost.example.com/")).toBe(400);
		expect(await door("http://127.0.0.1:1/")).toBe(200);
		const read = await fetch(`${emulator.url}/_sandbox/webhooks`);
		expect(await read.json()).toEqual({
			url: "http://127.0.0.1:1/",
			attempts: emulator.webhooks(),
		} as never);
		expect(await door(null)).toBe(200);
	});
});
