import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import {
	CHAIN_AWAY_MS,
	COLLECTION_METADATA_TASK,
	collectionJobs,
} from "#plugins/market-index/jobs/metadataJobs.ts";
import { callViews } from "#plugins/market-index/metadata/callViews.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import { readAbiText } from "#plugins/market-index/metadata/readAbiText.ts";
import { readAbiUint } from "#plugins/market-index/metadata/readAbiUint.ts";
import { readContractUri } from "#plugins/market-index/metadata/readContractUri.ts";
import { slugOf } from "#plugins/market-index/metadata/slugOf.ts";
import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";

const payload = z.object({ collectionId: z.int() });

/** Selectors of the views that a collection may have. */
const NAME: Hex = "0x06fdde03";
const CONTRACT_URI: Hex = "0xe8a3d485";
const MAX_SUPPLY: Hex = "0xd5abeb01";
const TOTAL_SUPPLY: Hex = "0x18160ddd";

type TaskCore = Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics">;

/** Reads what a collection's contract says of itself, and renames the collection by it. */
export function collectionMetadataTask(core: TaskCore): QueueTask<typeof payload> {
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
		async run({ collectionId }, { signal }) {
			const rows = await core.db.query<Known>(
				`select chain_id as "chainId", '0x' || encode(address, 'hex') as address, slug,
					metadata_at is null as "isFirst"
				from market_index.collection where id = $1`,
				[collectionId],
			);
			const row = rows[0];
			if (!row) return;
			const access = core.indexed.find(({ chain }) => chain.id === row.chainId);
			if (!access) {
				// A chain taken out of CHAINS: its names wait until it is back.
				const later = collectionJobs([{ id: collectionId }]).map((job) => {
					return { ...job, delayMs: CHAIN_AWAY_MS };
				});
				await core.db.transaction((tx) => core.queue.add(tx, later));
				return;
			}
			const facts = await readFacts(access.rpc, row.address, signal);
			await store(core, facts, { ...row, collectionId });
			if (facts.name === null && row.isFirst) {
				const context = { chain: access.chain.slug, contract: row.address };
				nameless.inc({ chain: access.chain.slug });
				core.log.info("a collection has no readable name", context);
			}
		},
	};
}

type Known = { chainId: number; address: Address; slug: string; isFirst: boolean };

type Facts = {
	name: string | null;
	imageUrl: string | null;
	maxSupply: bigint | null;
	totalSupply: bigint | null;
};

async function readFacts(rpc: Rpc, address: Address, signal: AbortSignal): Promise<Facts> {
	const views = [NAME, CONTRACT_URI, MAX_SUPPLY, TOTAL_SUPPLY];
	const answers = await callViews(rpc, address, views, signal);
	const [name = null, uri = null, maxSupply = null, totalSupply = null] = answers;
	const about = readContractUri(uri && readAbiText(uri));
	return {
		name: cleanName(name && readAbiText(name)) ?? about?.name ?? null,
		imageUrl: about?.imageUrl ?? null,
		maxSupply: maxSupply && readAbiUint(maxSupply),
		totalSupply: totalSupply && readAbiUint(totalSupply),
	};
}

async function store(core: TaskCore, facts: Facts, known: Known & { collectionId: number }) {
	const { name } = facts;
	const { chainId, collectionId } = known;
	await core.db.transaction(async (tx) => {
		// An answer that is missing now never erases one that was given before.
		await tx.execute(
			`update market_index.collection set
				name = coalesce($2, name),
				image_url = coalesce($3, image_url),
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
		if (wish !== null) await renameCollection(tx, { chainId, collectionId, wish });
	});
}
