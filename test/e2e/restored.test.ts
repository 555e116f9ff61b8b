import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "pg";
import { parseEther } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

// Guarantee: a backup that was put back pays nothing twice by itself. What wallets sent since is
// read before they spend, and who asks again for what was paid is asked whether it is a second one.

const PATH = "/v1/trading/wallet-transfers";
let anvil: Anvil;
let custody: CustodyEmulator;
let database: TestDatabase;
let service: TestService;
let asked = 0;
let paid: Address;
let tests = 0;

beforeAll(async () => {
	anvil = await startAnvil();
	custody = await startCustodyEmulator({ rpcUrl: anvil.url });
});
afterAll(() => Promise.all([custody?.stop(), anvil?.stop()]));
beforeEach(async () => {
	database = await createTestDatabase();
	tests++;
	// Each test pays somebody else: its wallets are known to the chain from the tests before.
	paid = `0x${"ab".repeat(19)}${String(tests).padStart(2, "0")}`;
	await start();
});
afterEach(async () => {
	await service?.stop();
	await database?.drop();
});

async function start(env: Record<string, string> = {}): Promise<void> {
	service = await startTestService({
		chain: anvil,
		scanFrom: null,
		database,
		env: {
			PLUGINS_DISABLED:
				"chain-scanner,looksrare,market-index,nft-buys,provider,prices,reveal-snipe,streams",
			PLUGINS: join(import.meta.dir, "kills/pricesStandIn.ts"),
			STAND_IN_COIN: `0x${"c0".repeat(20)}`,
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			TRADING_DRY_RUN: "false",
			...env,
		},
	});
}

/** An endpoint before the node: silent, or counting one transaction of each account too many. */
function startFalseEndpoint(mood: "silent" | "counts one too many") {
	const { promise: ended, resolve: end } = Promise.withResolvers<void>();
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const body = await request.text();
			if (mood === "silent") await ended;
			const headers = { "content-type": "application/json" };
			const answer = await (await fetch(anvil.url, { method: "POST", headers, body })).json();
			const calls = [JSON.parse(body)].flat();
			const told = [answer].flat().map((one: any) => {
				const asked = calls.find(({ id }: any) => id === one.id);
				const isCount = asked?.method === "eth_getTransactionCount" && one.result;
				return isCount ? { ...one, result: `0x${(Number(one.result) + 1).toString(16)}` } : one;
			});
			return Response.json(Array.isArray(answer) ? told : told[0]);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		async stop() {
			end();
			await server.stop(true);
		},
	};
}

async function ask(by: string, path: string, body?: unknown, key?: string) {
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
			authorization: `Bearer ${custody.token({ userId: custody.person(by).id })}`,
			...(body !== undefined && { "content-type": "application/json" }),
			...(key !== undefined && { "idempotency-key": key }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

/** Signs in, with a wallet that has money. */
async function enrol(by: string): Promise<string> {
	const { body } = await ask(by, "/v1/trading/enrollment", {});
	const [wallet] = body.profile.wallets;
	await anvil.rpc("anvil_setBalance", [wallet.address, "0x3635c9adc5dea00000"]);
	return wallet.id;
}

async function transfer(by: string, from: string, ether: string, key: string): Promise<any> {
	const body = { fromWalletId: from, recipients: [paid], amount: ether, chain: "anvil" };
	const answer = await ask(by, PATH, body, key);
	expect(answer.status).toBe(202);
	return answer.body.transfers[0];
}

async function reached(by: string, id: string, status: string): Promise<any> {
	let found: any;
	await until(
		async () => {
			found = (await ask(by, `${PATH}/${id}`)).body;
			return found.status === status;
		},
		() => `${id} is ${status}: ${JSON.stringify(found)}`,
	);
	return found;
}

const received = async () => BigInt(await anvil.rpc<string>("eth_getBalance", [paid, "latest"]));

/** Stops the service, copies its database as it is, and goes on. */
async function backUp(): Promise<{ putBack(env?: Record<string, string>): Promise<void> }> {
	// Not by `URL`: it refuses the form without a host.
	const name = /\/\/[^/]*\/([^?]*)/.exec(database.connectionString)?.[1] ?? "";
	const copy = `${name}_cold`;
	await service.stop();
	await administer(`create database ${copy} template ${name} strategy file_copy`, name);
	await start();
	return {
		async putBack(env) {
			await service.stop();
			await administer(`drop database ${name} with (force)`, name);
			await administer(`create database ${name} template ${copy} strategy file_copy`, copy);
			await administer(`drop database ${copy} with (force)`, copy);
			await start(env);
		},
	};
}

/** Nobody may be connected to a database that is copied: the pool of the test opens anew. */
async function administer(statement: string, name: string): Promise<void> {
	const client = new Client({
		connectionString: database.connectionString.replace(/(\/\/[^/]*\/)[^?]*/, "$1postgres"),
	});
	await client.connect();
	try {
		await client.query(
			"select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
			[name],
		);
		await until(async () => {
			const left = await client.query("select from pg_stat_activity where datname = $1", [name]);
			return left.rowCount === 0;
		}, `nobody is connected to ${name}`);
		await client.query(statement);
	} finally {
		await client.end();
	}
}

for (const { title, first } of [
	{ title: "a wallet's first payment", first: false },
	{ title: "a payment of a wallet that had paid before", first: true },
]) {
	test(`after a restore ${title} that the backup lacks is not paid again by its key`, async () => {
		const wallet = await enrol("ada");
		if (first) {
			const { id } = await transfer("ada", wallet, "0.5", "k-before");
			await reached("ada", id, "confirmed");
		}
		const before = await received();
		const { putBack } = await backUp();
		const lost = await transfer("ada", wallet, "1", "k");
		const { transactionHash } = await reached("ada", lost.id, "confirmed");
		await putBack();

		const again = await transfer("ada", wallet, "1", "k");
		expect(again).toMatchObject({ status: "confirmation_required", errorCode: "looks_paid" });
		expect(await received()).toBe(before + parseEther("1"));
		// What its owner decides by names the transaction.
		const link = `/v1/links/${String(again.confirmUrl).split("/").at(-1)}`;
		const shown = (await ask("ada", link)).body;
		expect(JSON.stringify(shown.transactions[0].shown)).toContain(transactionHash);

		// "It was this": the chain says what became of it, and nothing is sent.
		const named = await ask("ada", "/v1/trading/transactions", {
			...{ intentId: again.id, transactionHash },
		});
		expect(named.status).toBe(200);
		expect(await reached("ada", again.id, "confirmed")).toMatchObject({ transactionHash });
		expect(await received()).toBe(before + parseEther("1"));
	});
}

test("after a restore a repeated payment is sent once if its owner agrees, and others continue", async () => {
	const wallet = await enrol("gil");
	const { putBack } = await backUp();
	const lost = await transfer("gil", wallet, "1", "k");
	await reached("gil", lost.id, "confirmed");
	await putBack({ RESTORED: "true" });
	const ready = (await service.get<any>("/readyz")).body;
	expect(ready.status).toBe("ready");
	expect(ready.degraded).toContainEqual(expect.objectContaining({ code: "restored" }));

	const other = await transfer("gil", wallet, "0.25", "k-other");
	await reached("gil", other.id, "confirmed");
	const again = await transfer("gil", wallet, "1", "k");
	expect(again).toMatchObject({ status: "confirmation_required", errorCode: "looks_paid" });
	expect(await received()).toBe(parseEther("1.25"));
	const link = `/v1/links/${String(again.confirmUrl).split("/").at(-1)}`;
	const { planHash } = (await ask("gil", link)).body;
	expect((await ask("gil", link, { planHash })).status).toBe(200);
	await reached("gil", again.id, "confirmed");
	expect(await received()).toBe(parseEther("2.25"));
});

for (const mood of ["silent", "counts one too many"] as const) {
	test(`after a restore an endpoint that is ${mood} delays no payment, and hides none`, async () => {
		const by = mood === "silent" ? "ada" : "gil";
		const wallet = await enrol(by);
		const { putBack } = await backUp();
		const lost = await transfer(by, wallet, "1", "k");
		await reached(by, lost.id, "confirmed");
		const other = startFalseEndpoint(mood);
		try {
			const urls = JSON.stringify({ anvil: [anvil.url, other.url] });
			await putBack({ RESTORED: "true", CHAIN_RPC_URLS_JSON: urls });
			const beganAt = performance.now();
			const again = await transfer(by, wallet, "1", "k");
			expect(again).toMatchObject({ errorCode: "looks_paid" });
			const next = await transfer(by, wallet, "0.25", "k-other");
			await reached(by, next.id, "confirmed");
			// Where each question waited for the silent one it took longer than a request may.
			expect(performance.now() - beganAt).toBeLessThan(25_000);
			expect(await received()).toBe(parseEther("1.25"));
			if (mood === "silent") return;
			const { degraded } = (await service.get<any>("/readyz")).body;
			expect(degraded).toContainEqual(expect.objectContaining({ code: "wallet_counts_false" }));
		} finally {
			await service.stop();
			await other.stop();
		}
	});
}
