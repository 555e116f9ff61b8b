import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { type BridgeWorldParts, openBridgeWorld } from "#test/harness/openBridgeWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { until } from "#test/harness/until.ts";
import { LIE_KINDS } from "#test/sandbox/bridge/BridgeFault.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";

// Guarantee: processes die at any moment, and the provider is late, lies, fails and repeats itself;
// yet its books, both chains and every record agree, and nothing is deposited twice or lost.

const ROOT = join(import.meta.dir, "../../..");
const PATH = "/v1/bridges/intents";
const SEND = "^POST /v1/wallets/";
const BRIDGES = 8;
const KILLS = 4;
const SEEDS = process.env["PROVE"] === "1" ? 10 : 1;

type Running = { url: string; kill(): Promise<void> };

let world: BridgeWorldParts;
let database: TestDatabase;
let service: Running;
let wallet: string;

beforeAll(async () => {
	database = await createTestDatabase();
	world = await openBridgeWorld();
	service = await start();
	const { body } = await ask("/v1/trading/enrollment", {});
	wallet = body.profile.wallets[0].address;
});
afterAll(async () => {
	await service?.kill();
	await world?.stop();
	await database?.drop();
});

/** The service in a process of its own, which ends only by SIGKILL. */
async function start(): Promise<Running> {
	const child = Bun.spawn([process.execPath, join(ROOT, "api/cli/main/start.ts")], {
		cwd: ROOT,
		env: {
			...world.env,
			...{ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/tmp", PORT: "0" },
			...{ DATABASE_URL: database.connectionString, FOREIGN_FETCH_ENABLED: "false" },
			...{ LOG_LEVEL: "silent", WALLET_PROVIDER_TIMEOUT_MS: "2000" },
		},
		...{ stdin: "ignore", stdout: "ignore", stderr: "pipe" },
	});
	const killNow = () => child.kill("SIGKILL");
	process.once("exit", killNow);
	return {
		url: await printedUrl(child),
		async kill() {
			process.off("exit", killNow);
			killNow();
			await child.exited;
		},
	};
}

async function printedUrl(child: Subprocess<"ignore", "ignore", "pipe">): Promise<string> {
	const late = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of child.stderr) {
		text += decoder.decode(chunk, { stream: true });
		const url = /market\s+(http:\/\/[^/]+)\//.exec(text)?.[1];
		if (!url) continue;
		clearTimeout(late);
		return url;
	}
	throw new Error(`ended before it was up:\n${text}`);
}

let asked = 0;
async function ask(path: string, body?: unknown, key?: string) {
	asked++;
	const { custody } = world;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			authorization: `Bearer ${custody.token({ userId: custody.person("ada").id })}`,
			"x-forwarded-for": `10.8.${(asked >> 8) & 255}.${asked & 255}`,
			...(body !== undefined && { "content-type": "application/json" }),
			...(key !== undefined && { "idempotency-key": key }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

/** Asks with one key until there is an answer that says what was recorded. */
async function recorded(command: string, key: string): Promise<string> {
	let id = "";
	await until(async () => {
		const answer = await ask(PATH, { command }, key).catch(() => null);
		if (answer?.status === 201) id = answer.body.id;
		return id !== "";
	}, `${key} is recorded`);
	return id;
}

/** What goes wrong for one bridge: at the provider, on its way, and at the wallet provider. */
function disturb(prng: Prng): void {
	const { bridge, custody } = world;
	const outcome = prng.pick([
		...[
			"none",
			"none",
			"fill_late",
			"refund",
			"refund_short",
			"fail_then_refund",
			"fail_then_fill",
		],
		...["odd_status", "fill_short", "claims_fill"],
	]);
	if (outcome !== "none")
		bridge.fault({ kind: outcome as never, times: 1, delayMs: 200 + prng.int(1_500) });
	if (prng.chance(0.1)) {
		const lies = LIE_KINDS.filter((kind) => kind !== "unlimited_allowance");
		bridge.fault({ kind: prng.pick(lies), times: 1 });
	}
	const kind = prng.pick(["status", "truncated", "html"] as const);
	if (prng.chance(0.3)) bridge.fault({ kind, path: "^GET /intents", times: 1 + prng.int(3) });
	if (prng.chance(0.2)) bridge.fault({ kind: "unseen", times: 1 + prng.int(3) });
	if (prng.chance(0.3)) custody.fault({ path: SEND, kind: "silence", when: "after", times: 1 });
	if (prng.chance(0.2)) custody.fault({ path: SEND, kind: "status", when: "before", times: 1 });
}

const ENDS = ["success", "refund", "rejected", "failure"];

/** Whether the record has come as far as the provider's books let it. */
function isSettled(record: any): boolean {
	if (ENDS.includes(record.status)) return true;
	const entry = world.bridge.ledger().find((one) => one.requestId === record.quote?.requestId);
	if (!entry || entry.deposits.length === 0) return false;
	const isShort = entry.fill !== null && entry.fill.raw < entry.destination.minimumRaw;
	if (isShort) return record.status === "uncertain" && record.errorCode === "below_minimum";
	// It claims what no chain has: that is never an end.
	return (
		entry.told !== null && record.status === "pending" && record.providerStatus === entry.status
	);
}

for (let seed = TEST_SEED; seed < TEST_SEED + SEEDS; seed++) {
	test(`books, chains and records agree whoever dies (TEST_SEED=${seed})`, async () => {
		const prng = createPrng(seed);
		const nonceOf = async () =>
			Number(await world.market.rpc<string>("eth_getTransactionCount", [wallet, "latest"]));
		const before = { nonce: await nonceOf(), entries: world.bridge.ledger().length };
		const keys = Array.from({ length: BRIDGES }, (_, index) => `kill-${seed}-${index}`);
		const asking = keys.map(async (key, index) => {
			await Bun.sleep(index * 400);
			disturb(prng);
			return await recorded(`bridge 0.0${1 + index} eth from anvil to robinhood as USDG`, key);
		});
		for (let kill = 0; kill < KILLS; kill++) {
			await Bun.sleep(100 + prng.int(1_200));
			await service.kill();
			service = await start();
		}
		const ids = await Promise.all(asking);
		expect(new Set(ids).size).toBe(BRIDGES);
		const records: any[] = [];
		await until(
			async () => {
				records.splice(0);
				for (const id of ids) records.push((await ask(`${PATH}/${id}`)).body);
				return records.every(isSettled);
			},
			() =>
				JSON.stringify(
					records.map(({ status, errorCode, providerStatus }) => ({
						status,
						errorCode,
						providerStatus,
					})),
				),
		);
		world.bridge.clearFaults();
		world.custody.clearFaults();
		await world.bridge.idle();
		const entries = world.bridge.ledger().slice(before.entries);
		const deposits = entries.flatMap((entry) => entry.deposits);
		// Each was sent by one transaction of the wallet, and nothing else was.
		expect((await nonceOf()) - before.nonce).toBe(deposits.length);
		expect(entries.every((entry) => entry.deposits.length <= 1)).toBe(true);
		for (const record of records) await agrees(record, entries);
		const deposited = records.filter(({ depositHash }) => depositHash !== null);
		expect(deposited).toHaveLength(deposits.length);
		const all = await ask(`${PATH}?limit=200`);
		expect(all.body.data).toHaveLength(BRIDGES * (seed - TEST_SEED + 1));
	});
}

async function agrees(record: any, entries: ReturnType<typeof world.bridge.ledger>): Promise<void> {
	const entry = entries.find((one) => one.requestId === record.quote?.requestId);
	const [deposit] = entry?.deposits ?? [];
	const told = { id: record.id, status: record.status, code: record.errorCode };
	expect({ ...told, hash: record.depositHash }).toEqual({ ...told, hash: deposit?.hash ?? null });
	if (record.status === "success") {
		const { hash, raw } = entry?.fill ?? {};
		expect({ ...told, ...record.arrived }).toMatchObject({
			...{ ...told, transactionHash: hash, amountRaw: String(raw), verified: true },
		});
		expect(raw).toBeGreaterThanOrEqual(entry?.destination.minimumRaw ?? 0n);
	}
	if (record.status === "refund") {
		const { hash, raw } = entry?.refund ?? {};
		expect({ ...told, ...record.arrived }).toMatchObject({
			...{ ...told, transactionHash: hash, amountRaw: String(raw), verified: true },
		});
	}
	if (record.status === "rejected")
		expect({ ...told, deposit }).toEqual({ ...told, deposit: undefined });
}
