import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { type Address, type Hex, keccak256, parseEther, toHex } from "viem";
import { MINUTE_MS } from "#core/time.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

// Guarantee: an owner's wallet that tells late, never or wrongly what it sent has its payment found
// by the whole service, on a real chain; its owner may name what it sent at any time until then.

const PAID: Address = `0x${"7".repeat(40)}`;
/** The wallet provider's tokens outlive all that passes here. */
const expiresInS = 12 * 3_600;
const clock = { aheadMs: 0, nowMs: () => Date.now() + clock.aheadMs };
let anvil: Anvil;
let custody: CustodyEmulator;
let service: TestService;
let sender: Address;
let walletId: string;
let asked = 0;

beforeAll(async () => {
	anvil = await startAnvil();
	custody = await startCustodyEmulator({ rpcUrl: anvil.url });
	service = await startTestService({
		chain: anvil,
		scanFrom: null,
		clock,
		env: {
			PLUGINS_DISABLED:
				"chain-scanner,looksrare,market-index,nft-buys,provider,prices,reveal-snipe,streams",
			// Rates of a feed would grow stale as the clock jumps.
			PLUGINS: join(import.meta.dir, "kills/pricesStandIn.ts"),
			STAND_IN_COIN: `0x${"c0".repeat(20)}`,
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			TRADING_DRY_RUN: "false",
		},
	});
	const enrolled = await ask("/v1/trading/enrollment", {});
	expect(enrolled.status).toBe(200);
	const [wallet] = enrolled.body.profile.wallets;
	expect(wallet.capability).toBe("external/manual");
	[walletId, sender] = [wallet.id, wallet.address];
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await Promise.all([custody?.stop(), anvil?.stop()]);
});
beforeEach(() => anvil.rpc("evm_setAutomine", [true]));

async function ask(path: string, body?: unknown) {
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			"x-forwarded-for": `10.8.${asked >> 8}.${asked & 255}`,
			authorization: `Bearer ${custody.token({ userId: custody.person("fay").id, expiresInS })}`,
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

/** Asks for a transfer, and reads what its page would have the wallet send. */
async function transfer(ether: string) {
	const body = { fromWalletId: walletId, recipients: [PAID], amount: ether, chain: "anvil" };
	const answer = await ask("/v1/trading/wallet-transfers", body);
	expect(answer).toMatchObject({ status: 202 });
	const [made] = answer.body.transfers;
	expect(made.status).toBe("signature_required");
	const path = `/v1/links/${String(made.signUrl).split("/").at(-1)}`;
	return { id: String(made.id), path, request: (await ask(path)).body.request };
}
const send = (request: object, change: object = {}) =>
	anvil.rpc<Hex>("eth_sendTransaction", [{ ...request, ...change }]);
const read = async (id: string) => (await ask(`/v1/trading/wallet-transfers/${id}`)).body;
/** Time passes for the service, a step with each turn of its jobs, until it says so. */
async function reached(id: string, status: string, stepMs = 20_000): Promise<any> {
	let transfer: any;
	let turn = "";
	await until(async () => {
		const [row] = await service.core.db.query<{ turn: string }>(
			`select sum(extract(epoch from tick_at))::text as turn from core.schedule_tick
			where name = any($1)`,
			[["wallets.reconcile", "wallets.take-up"]],
		);
		if (row && row.turn !== turn) clock.aheadMs += stepMs;
		turn = row?.turn ?? "";
		transfer = await read(id);
		return transfer.status === status;
	}, `${id} is ${status}`);
	return transfer;
}
let unseen = 0;
const unseenHash = () => keccak256(toHex(`nobody has seen it ${unseen++}`));

test("a payment under another hash than the reported one is found, and its intent confirmed", async () => {
	const { id, path, request } = await transfer("0.1");
	expect((await ask(path, { transactionHash: unseenHash() })).status).toBe(200);
	const sent = await send(request);
	expect(await reached(id, "confirmed")).toMatchObject({ transactionHash: sent, errorCode: null });
});

test("a link's transaction is found before its intent expires, even if the page was closed", async () => {
	const { id, request } = await transfer("0.2");
	const sent = await send(request);
	expect(await reached(id, "confirmed", 5 * MINUTE_MS)).toMatchObject({ transactionHash: sent });
});

test("a wallet's own cancellation, and another payment in its place, are shown as such", async () => {
	for (const [code, change] of [
		["cancelled", { to: sender, value: "0x0" }],
		["replaced", { value: toHex(parseEther("0.07")) }],
	] as const) {
		const { id, path, request } = await transfer("0.3");
		expect((await ask(path, { transactionHash: unseenHash() })).status).toBe(200);
		await send(request, change);
		expect(await reached(id, "failed", 5 * MINUTE_MS)).toMatchObject({ errorCode: code });
	}
});

test("a payment that waits at a node keeps its intent open, and its owner may report its hash", async () => {
	const { id, path, request } = await transfer("0.4");
	expect((await ask(path, { transactionHash: unseenHash() })).status).toBe(200);
	await anvil.rpc("evm_setAutomine", [false]);
	const sent = await send(request);
	clock.aheadMs += 60 * MINUTE_MS;
	expect((await read(id)).status).toBe("submitted");
	const named = await ask("/v1/trading/transactions", { intentId: id, transactionHash: sent });
	expect(named).toMatchObject({ status: 200, body: { id, transactionHash: sent } });
	const stranger = await fetch(`${service.url}/v1/trading/transactions`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ intentId: id, transactionHash: sent }),
	});
	expect(stranger.status).toBe(401);
	await anvil.rpc("evm_mine", []);
	expect(await reached(id, "confirmed", 1_000)).toMatchObject({ transactionHash: sent });
});

test("a payment that a reorg dropped is shown at once, and its owner may cancel it by its nonce", async () => {
	const before = await anvil.rpc<string>("evm_snapshot", []);
	const { id, path, request } = await transfer("0.6");
	const sent = await send(request);
	expect((await ask(path, { transactionHash: sent })).status).toBe(200);
	await reached(id, "confirmed", 1_000);
	await anvil.rpc("evm_revert", [before]);
	await anvil.rpc("anvil_mine", ["0x5"]);
	expect(await reached(id, "uncertain", 1_000)).toMatchObject({ errorCode: "dropped_by_reorg" });
	const { status, body } = await ask(`/v1/trading/wallet-transfers/${id}/cancel`, {});
	expect({ status, hasLink: typeof body.cancelUrl }).toEqual({ status: 200, hasLink: "string" });
	const link = `/v1/links/${String(body.cancelUrl).split("/").at(-1)}`;
	const asks = (await ask(link)).body;
	const cancelled = await send(asks.request);
	expect((await ask(link, { transactionHash: cancelled })).status).toBe(200);
	await anvil.rpc("anvil_mine", ["0x46"]);
	expect(await reached(id, "failed")).toMatchObject({ errorCode: "cancelled" });
});

test("a revert with an invalid message ends its intent, and nothing hangs", async () => {
	// Reverts with Error(string) of "sold", a NUL and half of a surrogate pair.
	const words = "736f6c6400eda0bd6f7574";
	const text = `${"20".padStart(64, "0")}${"b".padStart(64, "0")}${words.padEnd(64, "0")}`;
	const data = `08c379a0${text}`;
	const size = (data.length / 2).toString(16).padStart(2, "0");
	const code = `0x60${size}600c60003960${size}6000fd${data}`;
	const hostile: Address = `0x${"66".repeat(20)}`;
	await anvil.rpc("anvil_setCode", [hostile, code]);
	const body = { fromWalletId: walletId, recipients: [hostile], amount: "0.1", chain: "anvil" };
	const { status, body: answer } = await ask("/v1/trading/wallet-transfers", body);
	expect(status).toBe(202);
	expect(answer.transfers[0].status).toBe("rejected");
	expect(JSON.stringify(await read(answer.transfers[0].id))).not.toContain("\\u0000");
});
