import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { CONTRACT_DOCUMENT_TASK } from "#plugins/market-index/jobs/contractDocumentJob.ts";
import { slugOf } from "#plugins/market-index/metadata/slugOf.ts";
import type { ReadDocument } from "#plugins/market-index/metadata/tokenUri/createDocumentReader.ts";
import type { TokenMetadata } from "#plugins/market-index/metadata/tokenUri/parseTokenJson.ts";
import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";

const payload = z.object({ collectionId: z.int(), uri: z.string() });

/** A stranger's server may be slow: it must not occupy the ordinary workers. */
const LANE = { name: "contract-documents", concurrency: 4 };

/**
 * Makes the task that reads what a collection's `contractURI` points to. It only fills what no
 * other source has told: the contract's own views come first, and the provider after them.
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
