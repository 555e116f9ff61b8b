import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

// Guarantee: a webhook of the wallet provider makes the service look, and nothing else. A true one
// saves the wait; one that is forged, doubled, late, out of order or false does no harm.

const PATH = "/v1/webhooks/wallet-provider";
const ANNA = `0x${"a1".repeat(20)}`;

let anvil: Anvil;
let custody: CustodyEmulator;
let service: TestService;
let walletId: string;
let asked = 0;

beforeAll(async () => {
	anvil = await startAnvil();
	custody = await startCustodyEmulator({ rpcUrl: anvil.url });
	service = await startTestService({
		chain: { url: anvil.url },
		scanFrom: null,
		env: {
			// Jobs run only when they are told to.
			ROLE: "api",
			PLUGINS_DISABLED:
				"chain-scanner,looksrare,market-index,nft-buys,provider,prices,reveal-snipe,streams",
			PLUGINS: join(import.meta.dir, "kills/pricesStandIn.ts"),
			STAND_IN_COIN: `0x${"c0".repeat(20)}`,
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			WALLET_PROVIDER_WEBHOOK_SECRET: custody.webhookSecret,
			WALLET_PROVIDER_TIMEOUT_MS: "500",
			TRADING_DRY_RUN: "false",
			TRADING_HOME_CHAIN: "anvil",
			TRADING_DAILY_USD_MAX: "1000000",
		},
	});
	const { body } = await ask("/v1/trading/enrollment", {});
	walletId = body.profile.canonicalWalletId ?? body.profile.wallets[0].id;
});

afterAll(async () => {
	await custody?.stop();
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

beforeEach(async () => {
	custody.clearFaults();
	custody.sendWebhooksTo(`${service.url}${PATH}`);
	await anvil.rpc("evm_setAutomine", [false]);
});

async function ask(path: string, body?: unknown) {
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			authorization: `Bearer ${custody.token({ userId: custody.person("ada").id })}`,
			"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

/**
 * Sends a little; the next look at it would be long after the test, and the chain has not mined it.
 */
async function send(): Promise<{ id: string; status: string }> {
	const { status, body } = await ask("/v1/trading/wallet-transfers", {
		fromWalletId: walletId,
		recipients: [ANNA],
		amount: "0.01",
	});
	expect(status).toBe(202);
	const [{ id }] = body.transfers;
	await service.core.db.execute(
		"update wallets.submission set look_at = now() + interval '20 minutes' where intent_id = $1",
		[id],
	);
	return { id, status: await statusOf(id) };
}

async function statusOf(id: string): Promise<string> {
	const rows = await service.core.db.query<{ status: string }>(
		"select status from wallets.intent where id = $1",
		[id],
	);
	return rows[0]?.status ?? "";
}

/** Runs the reconciler once. */
async function reconcile(): Promise<void> {
	const job = service.host.jobs.find(({ name }) => name === "wallets.reconcile");
	await job?.run({ signal: AbortSignal.timeout(WAIT_LIMIT_MS) });
}

/** Mines a block, and waits until the wallet provider has sent its webhooks. */
async function mineAndTell(): Promise<void> {
	await anvil.rpc("evm_mine");
	await custody.idle();
}

/** Returns the result of each webhook about a transfer. */
async function told(id: string): Promise<string[]> {
	const rows = await service.core.db.query<{ id: string }>(
		"select id from wallets.submission where intent_id = $1",
		[id],
	);
	const mine = custody.transactions().find(({ referenceId }) => referenceId === rows[0]?.id);
	return custody
		.webhooks()
		.filter(({ transactionId }) => transactionId === mine?.id)
		.map(({ type, status, answer }) => {
			const { outcome, code } = JSON.parse(answer);
			return `${type.replace("transaction.", "")} ${status} ${outcome ?? code}`;
		});
}

/** Returns the spend ledger's entries of a transfer. */
async function entriesOf(id: string): Promise<{ kind: string; n: number }[]> {
	return await service.core.db.query(
		`select kind, count(*)::int as n from wallets.spend_entry
		where intent_id = $1 group by kind order by kind`,
		[id],
	);
}

/** Expects that it was sent once, mined, and paid for once. */
async function expectPaidOnce(id: string): Promise<void> {
	expect(await statusOf(id)).toBe("confirmed");
	expect(await entriesOf(id)).toEqual([
		{ kind: "reserve", n: 1 },
		{ kind: "spend", n: 1 },
	]);
	const moves = await service.core.db.query<{ event: string }>(
		"select event from wallets.intent_move where intent_id = $1 and event = 'mined'",
		[id],
	);
	expect(moves).toHaveLength(1);
	expect(custody.transactions().every(({ broadcasts }) => broadcasts === 1)).toBe(true);
}

const quiet = () => custody.fault({ kind: "webhook_never", path: "broadcasted" });

test("a transfer without an answer is settled after its webhook, before the next scheduled lookup", async () => {
	quiet();
	custody.fault({ kind: "silence", when: "after", path: "^POST /v1/wallets", times: 1 });
	const { id, status } = await send();
	expect(status).toBe("uncertain");
	await reconcile();
	expect(await statusOf(id)).toBe("uncertain");
	await mineAndTell();
	expect(await told(id)).toEqual(["confirmed 200 woken"]);
	// The provider's word alone settles nothing.
	expect(await statusOf(id)).toBe("uncertain");
	await reconcile();
	await expectPaidOnce(id);
});

test('a webhook that says "failed" for a mined transaction releases nothing', async () => {
	quiet();
	custody.fault({ kind: "webhook_lie", path: "confirmed" });
	const { id } = await send();
	await mineAndTell();
	expect(await told(id)).toEqual(["failed 200 woken"]);
	expect(await statusOf(id)).toBe("submitted");
	expect(await entriesOf(id)).toEqual([{ kind: "reserve", n: 1 }]);
	await reconcile();
	await expectPaidOnce(id);
});

describe("several webhooks about one transaction", () => {
	const bad = [
		{ kind: "webhook_twice", told: ["confirmed 200 repeated", "confirmed 200 woken"] },
		{ kind: "webhook_replay", told: ["confirmed 200 repeated", "confirmed 200 woken"] },
		{ kind: "webhook_late", told: ["confirmed 200 woken"] },
	] as const;
	for (const { kind, told: expected } of bad) {
		test(`${kind}: it is settled once`, async () => {
			quiet();
			custody.fault({ kind, path: "confirmed", delayMs: 20 });
			const { id } = await send();
			await mineAndTell();
			expect((await told(id)).sort()).toEqual([...expected]);
			await reconcile();
			await expectPaidOnce(id);
			await reconcile();
			await expectPaidOnce(id);
		});
	}

	test("webhook_swapped: an earlier state that arrives after a later one has no effect", async () => {
		custody.fault({ kind: "webhook_swapped", path: "broadcasted" });
		const { id } = await send();
		await mineAndTell();
		expect(await told(id)).toEqual(["confirmed 200 woken", "broadcasted 200 idle"]);
		await reconcile();
		await expectPaidOnce(id);
	});
});

describe("webhooks that trigger no lookup", () => {
	for (const [kind, expected] of [
		["webhook_forged", ["confirmed 401 webhook_signature"]],
		["webhook_never", []],
	] as const) {
		test(`${kind}: the payment is looked up at its scheduled time, and not before`, async () => {
			quiet();
			custody.fault({ kind, path: "confirmed" });
			const { id } = await send();
			await mineAndTell();
			expect(await told(id)).toEqual([...expected]);
			await reconcile();
			expect(await statusOf(id)).toBe("submitted");
			await service.core.db.execute(
				"update wallets.submission set look_at = null where intent_id = $1",
				[id],
			);
			await reconcile();
			await expectPaidOnce(id);
		});
	}
});
