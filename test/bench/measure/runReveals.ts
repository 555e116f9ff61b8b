// Measures how soon reveals are noticed and read: one, six at once, one of ten thousand tokens.

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

/** From when 95 % of the tokens are stored until the first buy is submitted, and until then. */
export type SilentTokens = {
	tokens: number;
	afterMs: readonly number[];
	readMs: readonly number[];
};

export type SixReveals = {
	/** How long the last burst waited after it was noticed and the one before it was done. */
	lastWaitMs: number;
	longestMs: number;
	/** From the first detection to the last end. */
	allMs: number;
	tokens: number;
};

type Whole = Awaited<ReturnType<typeof openWhole>>;
type ArmedShow = Awaited<ReturnType<typeof armShow>>;

const COLLECTIONS = 20;
const TOKENS = 8;
/** The time between blocks while one is waited for. */
const BLOCK_EVERY_MS = 100;
/** Empty blocks before each reveal: it comes at any moment between two looks. */
const BLOCKS_BEFORE = [3, 4, 5, 6, 7];

const WHOLE_TOKENS = 10_000;
const BLOCKS_FOR_SELLERS = 60;
const WAIT_MS_MAX = 300_000;
/** One token in twenty: its number ends with an even digit and a zero. */
const SILENT_PATH = "/open/\\d*[02468]0$";
const SILENT_TIMES = 3;
const ANSWERED_PERCENT = 95;
const LOOK_EVERY_MS = 20;

export const SIX = 6;
const SIX_TOKENS = 200;

/**
 * Reveals one collection after the other, on a real node, with the documents' server in this
 * process: first with the contract's event, which the subscription receives, then without it.
 */
export async function runDetections({ scope }: { scope: Scope }): Promise<Detections> {
	const made = await openRevealLab();
	const close = scope.defer(made.close);
	made.lab.served = documents;
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
	const world = await openWhole(scope);
	const show = await armShow(world);
	const { beganMs, sent } = await reveal(world, show);
	await world.close();
	const since = (at: Date) => at.getTime() - beganMs;
	return {
		...{ tokens: WHOLE_TOKENS, detectedMs: since(sent.detected) },
		...{ rankedMs: since(sent.ranked), submittedMs: since(sent.at) },
	};
}

/**
 * Reveals ten thousand tokens of which one in twenty is never answered, some times, and measures
 * from the moment when all others are stored until the first buy is with the wallet provider.
 */
export async function runSilentTokens({ scope }: { scope: Scope }): Promise<SilentTokens> {
	const world = await openWhole(scope);
	const afterMs: number[] = [];
	const readMs: number[] = [];
	for (let time = 0; time < SILENT_TIMES; time++) {
		const show = await armShow(world);
		await world.post("/_sandbox/faults", { kind: "silence", path: SILENT_PATH });
		const over = new AbortController();
		const read = allStored(world, show.id, over.signal);
		const { beganMs, sent } = await reveal(world, show).finally(() => over.abort());
		const storedMs = await read;
		readMs.push(storedMs - beganMs);
		afterMs.push(sent.at.getTime() - storedMs);
		// The next one is read first, and nothing of this one stands in its way.
		await world.answerAll();
	}
	await world.close();
	return { tokens: WHOLE_TOKENS, afterMs, readMs };
}

/** Reveals six collections in one block, with an event each, and reads when each burst ran. */
export async function runSixReveals({ scope }: { scope: Scope }): Promise<SixReveals> {
	const made = await openRevealLab();
	const close = scope.defer(made.close);
	made.lab.served = documents;
	const service = await made.start();
	const collections = await hiddenCollections(made, service, {
		name: "six",
		count: SIX,
		tokens: SIX_TOKENS,
	});
	await made.anvil.rpc("evm_setAutomine", [false]);
	for (const { contract } of collections) await setBase(made, contract, 1);
	await made.anvil.rpc("evm_mine");
	const bursts = () =>
		service.core.db.query<{ detected: Date; began: Date; ended: Date }>(
			`select detected_at as detected, began_at as began, ended_at as ended
			from reveal_snipe.detection where outcome = 'revealed' order by began_at`,
		);
	await until(async () => (await bursts()).length === SIX, "all six are revealed");
	const read = await bursts();
	await close();
	const [last] = read.slice(-1);
	if (!last) throw new Error("nothing was revealed");
	const before = read.slice(0, -1).filter(({ ended }) => ended <= last.began);
	const free = Math.max(...[last.detected, ...before.map(({ ended }) => ended)].map(Number));
	return {
		lastWaitMs: last.began.getTime() - free,
		longestMs: Math.max(...read.map(({ began, ended }) => Number(ended) - Number(began))),
		allMs: Math.max(...read.map(({ ended }) => Number(ended))) - Number(read[0]?.detected),
		tokens: SIX_TOKENS,
	};
}

/** Opens a sandbox and a service in it, in which ada is signed in. */
async function openWhole(scope: Scope) {
	const dataDir = mkdtempSync(join(tmpdir(), "tapeline-whole-"));
	const sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 0, historyBlocks: 40 });
	const stopSandbox = scope.defer(sandbox.stop);
	const service = await startTestService({
		env: { ...sandboxEnvironment(sandbox), METADATA_ALLOWED_ORIGINS: sandbox.studioUrl },
	});
	const stopService = scope.defer(service.stop);
	return {
		...{ service, db: service.core.db, rpc: createRpc(sandbox.httpUrl) },
		ada: await signInAda(sandbox, () => service.url),
		async post(path: string, body: unknown): Promise<{ contract: string }> {
			const init = { method: "POST", body: JSON.stringify(body) };
			return (await (await fetch(`${sandbox.studioUrl}${path}`, init)).json()) as never;
		},
		/** Ends all faults of the document server. */
		answerAll: () => fetch(`${sandbox.studioUrl}/_sandbox/faults`, { method: "DELETE" }),
		async close(): Promise<void> {
			await stopService();
			await service.database.drop();
			await stopSandbox();
			rmSync(dataDir, { recursive: true, force: true });
		},
	};
}

/** Opens a hidden collection of ten thousand tokens, and arms a plan on it once it is for sale. */
async function armShow(world: Whole): Promise<{ contract: string; id: number; planId: string }> {
	const { service, db, ada, post, rpc } = world;
	const opening = { kind: "announced", tokens: WHOLE_TOKENS };
	const { contract } = await post("/_sandbox/reveals", opening);
	await rpc.call("anvil_mine", [`0x${BLOCKS_FOR_SELLERS.toString(16)}`]);
	let id = -1;
	await dueWithin(service, async () => {
		const [row] = await db.query<{ id: number; read: number }>(
			`select c.id, (select count(*)::int4 from market_index.token as t
				where t.collection_id = c.id and t.source is not null) as read
			from market_index.collection as c where '0x' || encode(c.address, 'hex') = $1`,
			[contract],
		);
		id = row?.id ?? -1;
		return row?.read === WHOLE_TOKENS;
	});
	const armed = await ada.ask("/v1/nft-market/snipes", {
		...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal" },
		...{ maxRank: WHOLE_TOKENS, maxPricePerItemNative: 1, budgetNative: 1, maxItems: 1 },
	});
	if (armed.status !== 201) throw new Error(`not armed: ${JSON.stringify(armed.body)}`);
	await dueWithin(service, async () => {
		const ready = await db.query(
			`select from reveal_snipe.seen as s where collection_id = $1 and reading = 'hidden'
				and exists (select from market_index.market_order as o
					where o.collection_id = s.collection_id and o.is_active and o.kind = 0)`,
			[id],
		);
		return ready.length > 0;
	});
	return { contract, id, planId: armed.body.id };
}

/** Reveals a collection, and waits until the first buy of its plan is with the wallet provider. */
async function reveal({ service, db, post }: Whole, { contract, planId }: ArmedShow) {
	const beganMs = Date.now();
	await post("/_sandbox/reveals/now", { contracts: [contract] });
	const submissions = () =>
		db.query<{ detected: Date; ranked: Date; at: Date }>(
			`select d.detected_at as detected, k.taken_at as ranked, s.sent_at as at
			from reveal_snipe.fill as f join wallets.submission as s on s.intent_id = f.intent_id
			join reveal_snipe.plan as p on p.id = f.plan_id
			join reveal_snipe.detection as d on d.collection_id = p.collection_id
			join reveal_snipe.kept_book as k on k.detection_id = d.id
			where p.id = $1 and s.sent_at is not null order by s.sent_at`,
			[planId],
		);
	await dueWithin(service, async () => (await submissions()).length > 0);
	const [sent] = await submissions();
	if (!sent) throw new Error("nothing was bought");
	return { beganMs, sent };
}

/** Returns when all tokens that answer were stored, as a look each 20 ms sees it. */
async function allStored({ db }: Whole, id: number, signal: AbortSignal): Promise<number> {
	while (!signal.aborted) {
		const atMs = Date.now();
		const [row] = await db.query<{ read: number }>(
			`select count(*)::int4 as read from market_index.token
			where collection_id = $1 and jsonb_array_length(traits) > 0`,
			[id],
		);
		if ((row?.read ?? 0) * 100 >= WHOLE_TOKENS * ANSWERED_PERCENT) return atMs;
		await Bun.sleep(LOOK_EVERY_MS);
	}
	throw new Error("it was bought before so many were stored");
}

async function hiddenCollections(
	made: RevealLab,
	service: TestService,
	given: { name: string; count: number; tokens: number },
): Promise<{ contract: Hex; id: number }[]> {
	const collections: { contract: Hex; id: number }[] = [];
	for (let place = 0; place < given.count; place++) {
		const name = `${given.name} ${place}`;
		const opening = { name, base: "sealed", count: given.tokens };
		const collection = await made.collection(service, opening);
		await made.watch(service, collection.id);
		collections.push(collection);
	}
	await until(async () => {
		const seen = await service.core.db.query(
			"select from reveal_snipe.seen where reading = 'hidden' and collection_id = any($1::int4[])",
			[collections.map(({ id }) => id)],
		);
		return seen.length === given.count;
	}, "all are seen to be hidden");
	return collections;
}

async function measure(
	made: RevealLab,
	{ signals, tells }: { signals: string; tells: 0 | 1 },
): Promise<number[]> {
	const service = await made.start({ env: { NFT_REVEAL_SIGNALS: signals } });
	const collections = await hiddenCollections(made, service, {
		name: `bench ${tells}`,
		count: COLLECTIONS,
		tokens: TOKENS,
	});
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

function documents(path: string) {
	const [, folder = "", id = ""] = path.split("/");
	return folder.startsWith("shown") ? shownAs(Number(id)) : sealed;
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
