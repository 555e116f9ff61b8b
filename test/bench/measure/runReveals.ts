// Measures how soon a reveal is noticed, and a reveal of ten thousand tokens.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeFunctionData, type Hex } from "viem";
import type { Scope } from "#test/bench/measure/startServiceProcess.ts";
import {
	dueNow,
	openRevealLab,
	type RevealLab,
	sealed,
	shownAs,
} from "#test/e2e/reveals/openRevealLab.ts";
import { sandboxEnvironment, signInAda } from "#test/e2e/reveals/sandboxShows.ts";
import { compileFixtures } from "#test/harness/compileFixtures.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { createRpc } from "#test/sandbox/createRpc.ts";
import { startSandbox } from "#test/sandbox/startSandbox.ts";

export type Detections = {
	/** From before `evm_mine` to the time that is stored with the detection. */
	bySubscriptionMs: readonly number[];
	byBlockMs: readonly number[];
};

/** Milliseconds since the reveal's block was requested. */
export type WholeReveal = {
	tokens: number;
	detectedMs: number;
	/** All tokens are read, counted and ranked. */
	rankedMs: number;
	submittedMs: number;
};

const COLLECTIONS = 20;
const TOKENS = 8;
/** The time between blocks while one is waited for. */
const BLOCK_EVERY_MS = 100;
/** Empty blocks before each reveal: it comes at any moment between two looks. */
const BLOCKS_BEFORE = [3, 4, 5, 6, 7];

const WHOLE_TOKENS = 10_000;
const BLOCKS_FOR_SELLERS = 60;
const WAIT_MS_MAX = 300_000;

/**
 * Reveals one collection after the other, on a real node, with the documents' server in this
 * process: first with the contract's event, which the subscription receives, then without it.
 */
export async function runDetections({ scope }: { scope: Scope }): Promise<Detections> {
	const made = await openRevealLab();
	const close = scope.defer(made.close);
	made.lab.served = (path) => {
		const [, folder = "", id = ""] = path.split("/");
		return folder.startsWith("shown") ? shownAs(Number(id)) : sealed;
	};
	const bySubscriptionMs = await measure(made, { signals: "metadata_event,uri_hash", tells: 1 });
	const byBlockMs = await measure(made, { signals: "block,uri_hash", tells: 0 });
	await close();
	return { bySubscriptionMs, byBlockMs };
}

/**
 * Measures one realistic reveal of ten thousand tokens: a node, the marketplace and the wallet
 * provider of the sandbox, documents over HTTP, a service, and a plan that was armed before.
 */
export async function runWholeReveal({ scope }: { scope: Scope }): Promise<WholeReveal> {
	const dataDir = mkdtempSync(join(tmpdir(), "tapeline-whole-"));
	const sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 0, historyBlocks: 40 });
	const stopSandbox = scope.defer(sandbox.stop);
	const post = async (path: string, body: unknown): Promise<{ contract: string }> => {
		const init = { method: "POST", body: JSON.stringify(body) };
		return (await (await fetch(`${sandbox.studioUrl}${path}`, init)).json()) as never;
	};
	const { contract } = await post("/_sandbox/reveals", {
		kind: "announced",
		tokens: WHOLE_TOKENS,
	});
	const rpc = createRpc(sandbox.httpUrl);
	await rpc.call("anvil_mine", [`0x${BLOCKS_FOR_SELLERS.toString(16)}`]);
	const service = await startTestService({
		env: { ...sandboxEnvironment(sandbox), METADATA_ALLOWED_ORIGINS: sandbox.studioUrl },
	});
	const stopService = scope.defer(service.stop);
	const { db } = service.core;
	const ada = await signInAda(sandbox, () => service.url);
	await dueWithin(service, async () => {
		const [row] = await db.query<{ read: number }>(
			`select count(*)::int4 as read from market_index.token as t
			join market_index.collection as c on c.id = t.collection_id
			where '0x' || encode(c.address, 'hex') = $1 and t.source is not null`,
			[contract],
		);
		return row?.read === WHOLE_TOKENS;
	});
	const armed = await ada.ask("/v1/nft-market/snipes", {
		...{
			collectionSlug: contract,
			chain: "anvil",
			trigger: "on_reveal",
			maxRank: WHOLE_TOKENS,
		},
		...{ maxPricePerItemNative: 1, budgetNative: 1, maxItems: 1 },
	});
	if (armed.status !== 201) throw new Error(`not armed: ${JSON.stringify(armed.body)}`);
	await dueWithin(service, async () => {
		const seen = await db.query("select from reveal_snipe.seen where reading = 'hidden'");
		const listed = await db.query(
			"select from market_index.market_order where is_active and kind = 0 limit 1",
		);
		return seen.length > 0 && listed.length > 0;
	});
	const beganMs = Date.now();
	await post("/_sandbox/reveals/now", { contracts: [contract] });
	const sent = () =>
		db.query<{ detected: Date; ranked: Date; sent: Date }>(
			`select d.detected_at as detected, k.taken_at as ranked, s.sent_at as sent
			from wallets.submission as s, reveal_snipe.detection as d
			join reveal_snipe.kept_book as k on k.detection_id = d.id where s.sent_at is not null`,
		);
	await dueWithin(service, async () => (await sent()).length > 0);
	const [row] = await sent();
	if (!row) throw new Error("nothing was bought");
	await stopService();
	await service.database.drop();
	await stopSandbox();
	rmSync(dataDir, { recursive: true, force: true });
	const since = (at: Date) => at.getTime() - beganMs;
	return {
		...{ tokens: WHOLE_TOKENS, detectedMs: since(row.detected) },
		...{ rankedMs: since(row.ranked), submittedMs: since(row.sent) },
	};
}

async function measure(
	made: RevealLab,
	{ signals, tells }: { signals: string; tells: 0 | 1 },
): Promise<number[]> {
	const service = await made.start({ env: { NFT_REVEAL_SIGNALS: signals } });
	const collections: { contract: Hex; id: number }[] = [];
	for (let place = 0; place < COLLECTIONS; place++) {
		const name = `bench ${tells} ${place}`;
		const collection = await made.collection(service, { name, base: "sealed", count: TOKENS });
		await made.watch(service, collection.id);
		collections.push(collection);
	}
	await until(async () => {
		const seen = await service.core.db.query(
			"select from reveal_snipe.seen where reading = 'hidden' and collection_id = any($1::int4[])",
			[collections.map(({ id }) => id)],
		);
		return seen.length === COLLECTIONS;
	}, "all are seen to be hidden");
	await made.anvil.rpc("evm_setAutomine", [false]);
	const delaysMs: number[] = [];
	for (const [place, { contract, id }] of collections.entries()) {
		for (let left = BLOCKS_BEFORE[place % BLOCKS_BEFORE.length] ?? 0; left > 0; left--) {
			await made.anvil.rpc("evm_mine");
			await Bun.sleep(BLOCK_EVERY_MS);
		}
		await setBase(made, contract, tells);
		const minedAtMs = Date.now();
		await made.anvil.rpc("evm_mine");
		delaysMs.push((await detectedAt(made, service, id)) - minedAtMs);
	}
	await made.anvil.rpc("evm_setAutomine", [true]);
	return delaysMs;
}

async function setBase(made: RevealLab, contract: Hex, tells: 0 | 1): Promise<void> {
	const abi = compileFixtures()["Reveal721"]?.abi ?? [];
	const args = [`${made.origin}/shown/`, false, tells];
	const data = encodeFunctionData({ abi, functionName: "setBase", args });
	const [from] = made.chain.accounts;
	await made.anvil.rpc("eth_sendTransaction", [{ from, to: contract, data, gas: "0x100000" }]);
}

/** Returns when a reveal was detected. Blocks go on meanwhile, as in reality. */
async function detectedAt(made: RevealLab, service: TestService, id: number): Promise<number> {
	const noticed = new AbortController();
	const mining = mineUntil(made, noticed.signal);
	let at = Number.NaN;
	await until(async () => {
		const [row] = await service.core.db.query<{ at: Date }>(
			"select detected_at as at from reveal_snipe.detection where collection_id = $1",
			[id],
		);
		at = row?.at.getTime() ?? Number.NaN;
		return row !== undefined;
	}, "it is noticed").finally(() => noticed.abort());
	await mining;
	return at;
}

async function mineUntil(made: RevealLab, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await Bun.sleep(BLOCK_EVERY_MS);
		await made.anvil.rpc("evm_mine");
	}
}

/** Waits as long as a first reading of so many tokens takes: `until` waits less. */
async function dueWithin(
	service: Parameters<typeof dueNow>[0],
	holds: () => Promise<boolean>,
): Promise<void> {
	const endsAtMs = Date.now() + WAIT_MS_MAX;
	for (;;) {
		try {
			return await dueNow(service, holds);
		} catch (error) {
			if (Date.now() > endsAtMs) throw error;
		}
	}
}
