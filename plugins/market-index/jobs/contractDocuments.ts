// Stores what contracts say of themselves, and reads their documents.

import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { isRowsRefused, type Tx } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { NewJob, QueueTask } from "#core/queue.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { ReadDocument } from "#plugins/market-index/metadata/createDocumentReader.ts";
import { slugOf } from "#plugins/market-index/metadata/metadataJobs.ts";
import type { TokenMetadata } from "#plugins/market-index/metadata/parseTokenJson.ts";
import { renameCollection, renameCollections } from "#plugins/market-index/sql/collectionNames.ts";

/** Holds what a collection's contract says about the collection. */
export type ContractFacts = {
	/** The collection as it was when its contract was asked. */
	id: number;
	address: Address;
	slug: string;
	/** True: it was never asked before. */
	isFirst: boolean;
	name: string | null;
	imageUrl: string | null;
	/** The URL of the contract's metadata document (`contractURI`), where it is not embedded. */
	documentUri: string | null;
	maxSupply: bigint | null;
	totalSupply: bigint | null;
};

type StoringCore = Pick<Core, "db" | "queue" | "clock">;

const CONTRACT_DOCUMENT_TASK = "market-index.contract-document";

/** The priority of these jobs: after names and figures. */
const LOW_PRIORITY = 10;

const payload = z.object({ collectionId: z.int(), uri: z.string() });

/** A stranger's server may be slow: it must not occupy the ordinary workers. */
const LANE = { name: "contract-documents", concurrency: 4 };

/**
 * Makes the task that reads the document of a collection's `contractURI`. It only fills what no
 * other source has reported: the contract's own views come first, and the provider after them.
 */
export function contractDocumentTask(
	core: Pick<Core, "db">,
	readDocument: ReadDocument,
): QueueTask<typeof payload> {
	return {
		name: CONTRACT_DOCUMENT_TASK,
		payload,
		attemptsMax: 5,
		timeoutMs: 60_000,
		lane: LANE,
		async run({ collectionId, uri }, { signal }) {
			const outcome = await readDocument(uri, { signal });
			if (outcome.kind === "read") await store(core, collectionId, outcome);
			else if (outcome.isUnreachable) {
				throw marketFault.documentUnreachable({ detail: outcome.code });
			}
		},
	};
}

/**
 * Stores what contracts of one chain say, and gives them slugs by it, in one transaction. Returns
 * those that the database refused: they count as asked, and the others are stored.
 *
 * A collection that another transaction is writing now is stored afterwards, alone: lanes write
 * many in an order of their own, and two that wait for each other's rows would stop for a second.
 */
export async function storeFacts(
	core: StoringCore,
	chainId: number,
	facts: readonly ContractFacts[],
): Promise<{ refused: { row: ContractFacts; error: unknown }[] }> {
	const refused: { row: ContractFacts; error: unknown }[] = [];
	for (const row of await storeTogether(core, chainId, facts)) {
		try {
			await core.db.transaction((tx) => writeFacts(core, tx, { chainId, facts: [row] }));
		} catch (error) {
			if (!isRowsRefused(error)) throw error;
			await core.db.execute(
				"update market_index.collection set metadata_at = coalesce(metadata_at, $2) where id = $1",
				[row.id, new Date(core.clock.nowMs())],
			);
			refused.push({ row, error });
		}
	}
	return { refused };
}

/** Returns the job that reads what a `contractURI` points to. */
function contractDocumentJob(collectionId: number, uri: string): NewJob {
	return {
		task: CONTRACT_DOCUMENT_TASK,
		payload: { collectionId, uri },
		key: `${CONTRACT_DOCUMENT_TASK}:${collectionId}`,
		priority: LOW_PRIORITY,
	};
}

async function store(core: Pick<Core, "db">, collectionId: number, about: TokenMetadata) {
	await core.db.transaction(async (tx) => {
		const [row] = await tx.query<{ chainId: number; isNamedByIt: boolean }>(
			`update market_index.collection set
				name = coalesce(name, $2),
				image_url = coalesce(image_url, $3),
				description = coalesce(description, $4)
			where id = $1
			returning chain_id as "chainId",
				name = $2 and slug = '0x' || encode(address, 'hex') as "isNamedByIt"`,
			[collectionId, about.name, about.imageUrl, about.description],
		);
		const wish = row?.isNamedByIt && about.name !== null ? slugOf(about.name) : null;
		if (!row || wish === null) return;
		await renameCollection(tx, { chainId: row.chainId, collectionId, wish });
	});
}

/** Returns those that are left to be stored one by one. */
async function storeTogether(
	core: StoringCore,
	chainId: number,
	facts: readonly ContractFacts[],
): Promise<readonly ContractFacts[]> {
	if (facts.length < 2) return facts;
	try {
		return await core.db.transaction(async (tx) => {
			const rows = await tx.query<{ id: number }>(
				`select id from market_index.collection where id = any($1::int4[])
				for update skip locked`,
				[facts.map(({ id }) => id)],
			);
			const free = new Set(rows.map(({ id }) => id));
			const [now, later] = [
				facts.filter(({ id }) => free.has(id)),
				facts.filter(({ id }) => !free.has(id)),
			];
			await writeFacts(core, tx, { chainId, facts: now });
			return later;
		});
	} catch (error) {
		if (isRowsRefused(error)) return facts;
		throw error;
	}
}

/**
 * Stores in one round trip: while a chain is being caught up, thousands of collections are named.
 */
async function writeFacts(
	core: StoringCore,
	tx: Tx,
	{ chainId, facts }: { chainId: number; facts: readonly ContractFacts[] },
): Promise<void> {
	if (facts.length === 0) return;
	// A missing answer never erases an earlier one. Names from the provider were checked by people,
	// so they stay.
	const told = tx.execute(
		`update market_index.collection as mine set
			name = case when provider_row is null then coalesce(given.name, mine.name)
				else coalesce(mine.name, given.name) end,
			image_url = case when provider_row is null then coalesce(given.image, mine.image_url)
				else coalesce(mine.image_url, given.image) end,
			max_supply = coalesce(given.max_supply, mine.max_supply),
			total_supply = coalesce(given.total_supply, mine.total_supply),
			supply_at = case when given.total_supply is null then supply_at else $6 end,
			supply_mints = mints,
			metadata_at = coalesce(metadata_at, $6)
		from unnest($1::int4[], $2::text[], $3::text[], $4::numeric[], $5::numeric[])
			as given (id, name, image, max_supply, total_supply)
		where mine.id = given.id`,
		[
			facts.map(({ id }) => id),
			facts.map(({ name }) => name),
			facts.map(({ imageUrl }) => imageUrl),
			facts.map(({ maxSupply }) => maxSupply),
			facts.map(({ totalSupply }) => totalSupply),
			new Date(core.clock.nowMs()),
		],
	);
	// Once: a contract that changes its name at every block must not take every slug.
	const wishes = facts.flatMap(({ id, name, slug, address }) => {
		const wish = name === null || slug !== address ? null : slugOf(name);
		return wish === null ? [] : { collectionId: id, wish };
	});
	const documents = facts.flatMap(({ id, isFirst, documentUri }) => {
		return isFirst && documentUri !== null ? contractDocumentJob(id, documentUri) : [];
	});
	await Promise.all([
		told,
		renameCollections(tx, { chainId, wishes }),
		core.queue.add(tx, documents),
	]);
}
