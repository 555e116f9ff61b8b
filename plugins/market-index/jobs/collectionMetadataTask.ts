import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Counter } from "#core/metrics/createMetrics.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { contractDocumentJob } from "#plugins/market-index/jobs/contractDocumentJob.ts";
import {
	CHAIN_AWAY_MS,
	COLLECTION_METADATA_TASK,
	collectionJobs,
} from "#plugins/market-index/jobs/metadataJobs.ts";
import { COLLECTIONS_PER_JOB_MAX } from "#plugins/market-index/limits.ts";
import { callViews } from "#plugins/market-index/metadata/callViews.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import { readAbiText } from "#plugins/market-index/metadata/readAbiText.ts";
import { readAbiUint } from "#plugins/market-index/metadata/readAbiUint.ts";
import { slugOf } from "#plugins/market-index/metadata/slugOf.ts";
import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import { heldMetadata } from "#plugins/market-index/metadata/tokenUri/heldMetadata.ts";
import { uriPlan } from "#plugins/market-index/metadata/tokenUri/uriPlan.ts";
import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

const payload = z.object({ collectionIds: z.array(z.int()).max(COLLECTIONS_PER_JOB_MAX) });

/** Selectors of the views that a collection may have. */
const NAME: Hex = "0x06fdde03";
const CONTRACT_URI: Hex = "0xe8a3d485";
const MAX_SUPPLY: Hex = "0xd5abeb01";
const TOTAL_SUPPLY: Hex = "0x18160ddd";
const VIEWS = [NAME, CONTRACT_URI, MAX_SUPPLY, TOTAL_SUPPLY];

type TaskCore = Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics">;

/**
 * Reads what collections' contracts say of themselves, and renames the collections by it. What a
 * `contractURI` holds within itself is read here; one that points elsewhere gets a job of its own,
 * once, so that no server of a stranger keeps a name waiting.
 */
export function collectionMetadataTask(
	core: TaskCore,
	gateways: Gateways,
): QueueTask<typeof payload> {
	const nameless = core.metrics.counter({
		name: "collections_nameless_total",
		help: "Collections whose contract told no readable name.",
		labels: ["chain"],
	});
	return {
		name: COLLECTION_METADATA_TASK,
		payload,
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
				else await readChain(core, access, known, { signal, nameless, gateways });
			}
		},
	};
}

/** A chain taken out of CHAINS: its names wait until it is back. */
async function askLater(core: TaskCore, known: readonly Known[]): Promise<void> {
	const later = collectionJobs(known).map((job) => ({ ...job, delayMs: CHAIN_AWAY_MS }));
	await core.db.transaction((tx) => core.queue.add(tx, later));
}

async function readChain(
	core: TaskCore,
	{ chain, rpc }: ChainAccess,
	known: readonly Known[],
	{ signal, nameless, gateways }: Reading,
): Promise<void> {
	const contracts = known.map(({ address }) => address);
	const answers = await callViews(rpc, contracts, VIEWS, signal);
	// Whoever mints is asked for its supply: the one moment to look for new tokens as well, and one
	// that costs the lanes nothing. All at once: each time jobs are added every worker looks for one.
	const jobs = known.map(({ id }) => learnTokensJob(id));
	await core.db.transaction((tx) => core.queue.add(tx, jobs));
	for (const [index, row] of known.entries()) {
		const facts = factsOf(answers[index] ?? [], gateways);
		await store(core, facts, row);
		if (facts.name !== null || !row.isFirst) continue;
		nameless.inc({ chain: chain.slug });
		core.log.info("a collection has no readable name", {
			chain: chain.slug,
			contract: row.address,
		});
	}
}

type Reading = { signal: AbortSignal; nameless: Counter<"chain">; gateways: Gateways };

type Known = { id: number; chainId: number; address: Address; slug: string; isFirst: boolean };

type Facts = {
	name: string | null;
	imageUrl: string | null;
	/** Where the contract says that more is told. */
	documentUri: string | null;
	maxSupply: bigint | null;
	totalSupply: bigint | null;
};

function factsOf(answers: readonly (Hex | null)[], gateways: Gateways): Facts {
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

async function store(core: TaskCore, facts: Facts, known: Known) {
	const { name } = facts;
	const { chainId, id: collectionId } = known;
	await core.db.transaction(async (tx) => {
		// An answer that is missing now never erases one that was given before.
		// What the provider calls it was looked at by people, so it stands.
		const told = tx.execute(
			`update market_index.collection set
				name = case when provider_row is null then coalesce($2, name)
					else coalesce(name, $2) end,
				image_url = case when provider_row is null then coalesce($3, image_url)
					else coalesce(image_url, $3) end,
				max_supply = coalesce($4, max_supply),
				total_supply = coalesce($5, total_supply),
				supply_mints = mints,
				metadata_at = $6
			where id = $1`,
			[
				collectionId,
				name,
				facts.imageUrl,
				facts.maxSupply,
				facts.totalSupply,
				new Date(core.clock.nowMs()),
			],
		);
		// Once: a contract that changes its name at every block must not take every slug there is.
		const wish = name === null || known.slug !== known.address ? null : slugOf(name);
		const renamed = wish === null ? null : renameCollection(tx, { chainId, collectionId, wish });
		const { documentUri } = facts;
		const isTold = known.isFirst && documentUri !== null;
		const document = isTold ? [contractDocumentJob(collectionId, documentUri)] : [];
		// In one round trip: while a chain is caught up with, thousands of collections are named.
		await Promise.all([told, renamed, core.queue.add(tx, document)]);
	});
}
