import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";
import { type Sandbox, startSandbox } from "../../sandbox/startSandbox.ts";
import { type Ada, sandboxEnvironment, signInAda } from "./sandboxShows.ts";

// Guarantee: a process that is killed in the burst, and another that is killed in a fill, cost time
// and nothing else: the plan buys what its owner asked for, each token once, within its bounds.

const ROOT = join(import.meta.dir, "../../..");
const BUDGET = 2;
const ITEMS = 3;

type Running = { url: string; kill(): Promise<void> };

const dataDir = mkdtempSync(join(tmpdir(), "tapeline-killed-plan-"));
let sandbox: Sandbox;
let database: TestDatabase;
let service: Running;
let ada: Ada;

beforeAll(async () => {
	database = await createTestDatabase();
	sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 800, historyBlocks: 40 });
	service = await start();
	ada = await signInAda(sandbox, () => service.url);
});

afterAll(async () => {
	await service?.kill();
	await sandbox?.stop();
	await database?.drop();
	rmSync(dataDir, { recursive: true, force: true });
});

/** Starts the service in a process of its own, which ends only by SIGKILL. */
async function start(): Promise<Running> {
	const child = Bun.spawn([process.execPath, join(ROOT, "api/cli/main/start.ts")], {
		cwd: ROOT,
		env: {
			...sandboxEnvironment(sandbox),
			PATH: process.env["PATH"] ?? "",
			HOME: process.env["HOME"] ?? "/tmp",
			PORT: "0",
			DATABASE_URL: database.connectionString,
			FOREIGN_FETCH_ENABLED: "false",
			LOG_LEVEL: "silent",
		},
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
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

async function killedWhen(sql: string, what: string): Promise<void> {
	await until(async () => {
		// Delayed jobs run now, as in `dueNow`.
		await database.db.execute(
			`update graphile_worker._private_jobs set run_at = now()
			where run_at > now() and locked_at is null`,
		);
		return (await database.db.query(sql)).length > 0;
	}, what);
	await service.kill();
	service = await start();
}

test("[RVL-07] after kills in the burst and in the buy the collection is revealed and the token bought", async () => {
	const [contract] = sandbox.reveals;
	let armed: any;
	await until(async () => {
		armed = await ada.ask("/v1/nft-market/snipes", {
			...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal", maxRank: 200 },
			...{ maxPricePerItemNative: 1, budgetNative: BUDGET, maxItems: ITEMS },
		});
		return armed.status !== 404;
	}, "the collection is indexed");
	expect(armed).toMatchObject({ status: 201, body: { status: "armed", fills: [] } });
	await killedWhen(
		"select from reveal_snipe.detection where step in ('reading', 'counting', 'ranking')",
		"a burst is under way",
	);
	await killedWhen(
		`select from reveal_snipe.fill f join wallets.intent i on i.id = f.intent_id
		where i.status in ('created', 'submitting', 'submitted')`,
		"a fill is under way",
	);
	let plan: any;
	await until(async () => {
		plan = (await ada.ask(`/v1/nft-market/snipes/${armed.body.id}`)).body;
		return plan.status === "completed";
	}, "the plan has bought what it may");
	const ended = ["confirmed", "rejected", "failed", "expired"];
	expect(plan.fills.every(({ status }: any) => ended.includes(status))).toBe(true);
	const bought = plan.fills.filter(({ status }: any) => status === "confirmed");
	expect(bought).toHaveLength(ITEMS);
	expect(new Set(bought.map(({ tokenId }: any) => tokenId)).size).toBe(ITEMS);
	const spent = bought.reduce((sum: bigint, { priceRaw }: any) => sum + BigInt(priceRaw), 0n);
	expect(plan.spentRaw).toBe(String(spent));
	expect(plan.spentNative).toBeLessThanOrEqual(BUDGET);
	expect(await tokensOf(contract ?? "", ada.wallet)).toBe(BigInt(ITEMS));
	const { body } = await ada.ask("/v1/nft-market/reveals?phase=revealed");
	expect(body.data).toMatchObject([{ contractAddress: contract, burst: { outcome: "revealed" } }]);
});

/** Returns how many tokens of a contract an owner has, by the chain. */
async function tokensOf(to: string, owner: string): Promise<bigint> {
	const data = `0x70a08231${owner.slice(2).padStart(64, "0")}`;
	const response = await fetch(sandbox.httpUrl, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			...{ id: 1, jsonrpc: "2.0", method: "eth_call", params: [{ to, data }, "latest"] },
		}),
	});
	return BigInt(((await response.json()) as any).result);
}
