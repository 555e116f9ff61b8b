// Asks contracts for names, supply and documents, and queues those that were never asked.

import { z } from "zod";
import { readAbiText, readAbiUint } from "#core/chain/abi.ts";
import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import { addressSchema } from "#core/chain/hexSchemas.ts";
import type { Counter } from "#core/metrics.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { type ContractFacts, storeFacts } from "#plugins/market-index/jobs/contractDocuments.ts";
import { callViews } from "#plugins/market-index/metadata/callEach.ts";
import {
	CHAIN_AWAY_MS,
	COLLECTION_METADATA_TASK,
	COLLECTIONS_PER_JOB_MAX,
	CURRENCY_METADATA_TASK,
	cleanName,
	collectionJobs,
	currencyJob,
	OWED_NAMES_TASK,
	OWED_REST_MIN_MS,
	owedNamesJob,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { heldMetadata } from "#plugins/market-index/metadata/parseTokenJson.ts";
import { type Gateways, uriPlan } from "#plugins/market-index/metadata/tokenUri.ts";
import { owedNames } from "#plugins/market-index/sql/collectionNames.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

type TaskCore = Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics">;

type Reading = {
	signal: AbortSignal;
	nameless: Counter<"chain">;
	unstored: Counter<"chain">;
	gateways: Gateways;
};

type Known = Pick<ContractFacts, "id" | "address" | "slug" | "isFirst"> & { chainId: number };

type OwedCore = Pick<Core, "db" | "queue" | "clock" | "indexed"> & {
	scanner: Pick<Scanner, "progress">;
};

const collectionsPayload = z.object({
	collectionIds: z.array(z.int()).max(COLLECTIONS_PER_JOB_MAX),
});

/** Selectors of the views that a collection may have. */
const NAME: Hex = "0x06fdde03";
const CONTRACT_URI: Hex = "0xe8a3d485";
const MAX_SUPPLY: Hex = "0xd5abeb01";
const TOTAL_SUPPLY: Hex = "0x18160ddd";
const VIEWS = [NAME, CONTRACT_URI, MAX_SUPPLY, TOTAL_SUPPLY];

const currencyPayload = z.object({
	chainId: z.int(),
	address: addressSchema,
});

const SYMBOL: Hex = "0x95d89b41";
const DECIMALS: Hex = "0x313ce567";

/** Bounds a symbol's length; a longer one is cut. A symbol is a label and never an identity. */
const SYMBOL_LENGTH_MAX = 32;

/** 10^77 is the largest power of ten below 2^256: more decimals are impossible. */
const DECIMALS_MAX = 77n;

/**
 * Limits reading missing names while a lane is so many blocks behind its head: 25 are read at a
 * time, followed by a rest of 19 times as long, at least a second (`OWED_REST_MIN_MS`) and at most
 * five.
 */
export const LEVEL_BLOCKS = 64;
export const OWED_RESTS = 19;
export const OWED_REST_MAX_MS = 5_000;

/** Owed names that are queued at once where the lanes are level. */
export const OWED_PER_TURN_MAX = 1_000;

const payload = z.object({ chainId: z.int(), afterId: z.int() });

/**
 * Makes the task that reads what collections' contracts say of themselves, and renames the
 * collections by it. A `contractURI` that contains its document is read here; one that points
 * elsewhere gets a job of its own, once, so that no stranger's server delays a name.
 */
export function collectionMetadataTask(
	core: TaskCore,
	gateways: Gateways,
): QueueTask<typeof collectionsPayload> {
	const nameless = core.metrics.counter({
		name: "collections_nameless_total",
		help: "Collections whose contract told no readable name.",
		labels: ["chain"],
	});
	const unstored = core.metrics.counter({
		name: "collections_unstored_total",
		help: "Contracts whose name, image or supply the database refused.",
		labels: ["chain"],
	});
	return {
		name: COLLECTION_METADATA_TASK,
		payload: collectionsPayload,
		attemptsMax: 12,
		timeoutMs: 30_000,
		async run({ collectionIds }, { signal }) {
			const rows = await core.db.query<Known>(
				`select id, chain_id as "chainId", '0x' || encode(address, 'hex') as address, slug,
					metadata_at is null as "isFirst"
				from market_index.collection where id = any($1::int4[])`,
				[collectionIds],
			);
			for (const [chainId, known] of Map.groupBy(rows, (row) => row.chainId)) {
				const access = core.indexed.find(({ chain }) => chain.id === chainId);
				if (!access) await askLater(core, known);
				else await readChain(core, access, known, { signal, nameless, unstored, gateways });
			}
		},
	};
}

/** Makes the task that reads an ERC-20's symbol and decimals, after the first payment in it. */
export function currencyMetadataTask(
	core: Pick<Core, "db" | "indexed" | "queue">,
): QueueTask<typeof currencyPayload> {
	return {
		name: CURRENCY_METADATA_TASK,
		payload: currencyPayload,
		attemptsMax: 12,
		timeoutMs: 30_000,
		async run({ chainId, address }, { signal }) {
			const access = core.indexed.find(({ chain }) => chain.id === chainId);
			const contract: Address = address;
			if (!access) {
				// A chain taken out of CHAINS: its tokens wait until it is back.
				const later = { ...currencyJob(chainId, contract), delayMs: CHAIN_AWAY_MS };
				await core.db.transaction((tx) => core.queue.add(tx, [later]));
				return;
			}
			const rpc = access.rpcFor("names");
			const [answers = []] = await callViews(rpc, [contract], [SYMBOL, DECIMALS], signal);
			const [symbol = null, decimals = null] = answers;
			const places = decimals && readAbiUint(decimals);
			const label = cleanName(symbol && readAbiText(symbol)) ?? "";
			// By code points: half of an emoji is no character.
			const short = [...label].slice(0, SYMBOL_LENGTH_MAX).join("").trimEnd();
			// A missing answer never erases an earlier one.
			await core.db.execute(
				`update market_index.currency set
					symbol = coalesce($3, symbol), decimals = coalesce($4, decimals)
				where chain_id = $1 and address = $2`,
				[
					chainId,
					bytesOf(contract),
					short === "" ? null : short,
					places !== null && places <= DECIMALS_MAX ? Number(places) : null,
				],
			);
		},
	};
}

/** Queues collections of a chain taken out of CHAINS: their names wait until it is back. */
async function askLater(core: TaskCore, known: readonly Known[]): Promise<void> {
	const later = collectionJobs(known).map((job) => ({ ...job, delayMs: CHAIN_AWAY_MS }));
	await core.db.transaction((tx) => core.queue.add(tx, later));
}

async function readChain(
	core: TaskCore,
	{ chain, rpcFor }: ChainAccess,
	known: readonly Known[],
	{ signal, nameless, unstored, gateways }: Reading,
): Promise<void> {
	const contracts = known.map(({ address }) => address);
	const answers = await callViews(rpcFor("names"), contracts, VIEWS, signal);
	const told = known.map((row, index): ContractFacts => {
		return { ...row, ...factsOf(answers[index] ?? [], gateways) };
	});
	const { refused } = await storeFacts(core, chain.id, told);
	for (const { row, error } of refused) {
		unstored.inc({ chain: chain.slug });
		const named = { chain: chain.slug, contract: row.address, name: row.name };
		core.log.error("what a contract says of itself could not be stored", { ...named, error });
	}
	for (const row of told) {
		if (row.name !== null || !row.isFirst) continue;
		nameless.inc({ chain: chain.slug });
		core.log.info("a collection has no readable name", {
			chain: chain.slug,
			contract: row.address,
		});
	}
	// A contract that minted is asked for its supply: this is also the moment to look for new tokens,
	// and it costs the lanes nothing. After the supplies, which show whether the provider knows of
	// more: without one, what is there is all. In one statement: each time jobs are added every
	// worker looks for one.
	const jobs = known.map(({ id }) => learnTokensJob(id));
	await core.db.transaction((tx) => core.queue.add(tx, jobs));
}

function factsOf(
	answers: readonly (Hex | null)[],
	gateways: Gateways,
): Omit<ContractFacts, keyof Known> {
	const [name = null, answer = null, maxSupply = null, totalSupply = null] = answers;
	const uri = answer && readAbiText(answer);
	const plan = uri === null ? null : uriPlan(uri, gateways);
	const about = plan?.kind === "held" ? heldMetadata(plan.texts, gateways) : null;
	return {
		name: cleanName(name && readAbiText(name)) ?? about?.name ?? null,
		imageUrl: about?.imageUrl ?? null,
		documentUri: plan?.kind === "fetched" ? uri : null,
		maxSupply: maxSupply && readAbiUint(maxSupply),
		totalSupply: totalSupply && readAbiUint(totalSupply),
	};
}

/** Sorts chains by whether their lanes are level. */
export async function byLevel(
	scanner: Pick<Scanner, "progress">,
	chainIds: readonly number[],
): Promise<{ level: number[]; behind: number[] }> {
	const said = await Promise.all(chainIds.map((chainId) => lanesAreLevel(scanner, chainId)));
	return {
		level: chainIds.filter((_, index) => said[index]),
		behind: chainIds.filter((_, index) => !said[index]),
	};
}

/**
 * Makes the task that asks the contracts which lanes met while they were behind. Once they are
 * level, all at once; until then a few at a time, with rests of 19 times as long, so that names
 * take a twentieth of the time and even a chain that stays behind gets them.
 *
 * Owed are the collections that were never read. So one job for a chain covers all, and a lost one
 * loses nothing.
 */
export function owedNamesTask(
	core: OwedCore,
	read: (given: { collectionIds: number[] }, options: { signal: AbortSignal }) => Promise<void>,
): QueueTask<typeof payload> {
	const { db, queue, clock, indexed, scanner } = core;
	/** Chains whose names are being read here: lanes queue the next turn with each range. */
	const underWay = new Set<number>();
	return {
		name: OWED_NAMES_TASK,
		payload,
		attemptsMax: 12,
		timeoutMs: 30_000,
		async run({ chainId, afterId }, options) {
			// Taken out of CHAINS: the repair job finds them when it is back.
			if (!indexed.some(({ chain }) => chain.id === chainId)) return;
			// Its end queues the next turn; until then what it reads still counts as owed.
			if (underWay.has(chainId)) return;
			underWay.add(chainId);
			await turn(chainId, afterId, options).finally(() => underWay.delete(chainId));
		},
	};

	async function turn(chainId: number, afterId: number, options: { signal: AbortSignal }) {
		const isLevel = await lanesAreLevel(scanner, chainId);
		const limit = isLevel ? OWED_PER_TURN_MAX : COLLECTIONS_PER_JOB_MAX;
		const ids = await owedNames(db, { chainId, afterId: isLevel ? afterId : 0, limit });
		const last = ids.at(-1);
		if (last === undefined) return;
		if (isLevel) {
			const jobs = collectionJobs(ids.map((id) => ({ id })));
			// Those are not read yet: the next turn continues after them.
			const more = ids.length < limit ? [] : [owedNamesJob(chainId, { afterId: last, delayMs: 0 })];
			await db.transaction((tx) => queue.add(tx, [...jobs, ...more]));
			return;
		}
		const beganMs = clock.nowMs();
		await read({ collectionIds: ids }, options);
		const restMs = (clock.nowMs() - beganMs) * OWED_RESTS;
		const delayMs = Math.min(Math.max(restMs, OWED_REST_MIN_MS), OWED_REST_MAX_MS);
		await db.transaction((tx) => queue.add(tx, [owedNamesJob(chainId, { delayMs })]));
	}
}

/**
 * Returns whether a chain's lanes are near its head without missing blocks below: less urgent work
 * waits until then. True for a chain that no lane follows.
 */
export async function lanesAreLevel(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
): Promise<boolean> {
	const lanes = await Promise.all([
		scanner.progress(chainId, "mint"),
		scanner.progress(chainId, "sale"),
	]);
	return lanes.every(({ headBlock, indexedBlock, owes = false }) => {
		if (headBlock === null || indexedBlock === null) return true;
		return !owes && headBlock - indexedBlock < LEVEL_BLOCKS;
	});
}
