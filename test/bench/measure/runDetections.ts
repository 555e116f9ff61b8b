import { encodeFunctionData, type Hex } from "viem";
import type { Scope } from "#test/bench/createScope.ts";
import { openRevealLab, type RevealLab, sealed, shownAs } from "#test/e2e/reveals/openRevealLab.ts";
import { compileFixtures } from "#test/harness/compileFixtures.ts";
import type { TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

export type Detections = {
	/** From before `evm_mine` to the time that is stored with the detection. */
	bySubscriptionMs: readonly number[];
	byBlockMs: readonly number[];
};

const COLLECTIONS = 20;
const TOKENS = 8;
/** The time between blocks while one is waited for. */
const BLOCK_EVERY_MS = 100;
/** Empty blocks before each reveal: it comes at any moment between two looks. */
const BLOCKS_BEFORE = [3, 4, 5, 6, 7];

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
