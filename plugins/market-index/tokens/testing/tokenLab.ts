// Runs the work on tokens over a real database and a fake provider, for tests.

import { encodeAbiParameters } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { QueueTask } from "#core/queue.ts";
import { createTaskLab } from "#plugins/market-index/jobs/testing/taskLab.ts";
import { ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { TokenContext, UriOutcome } from "#plugins/market-index/tokens/model.ts";
import type { ProviderNft } from "#plugins/provider/contract.ts";
import { createFakeProvider, fakePrices } from "#test/harness/fakes.ts";

const TOKEN_URI = "0xc87b56dd";
const URI = "0x0e89341c";

/** Makes a lab for work on tokens: a real database; tests fill contracts, servers and provider. */
export function createTokenLab(db: Database) {
	const { lab: node, core: taskCore, metrics } = createTaskLab(db);
	const fake = createFakeProvider();
	const prices = fakePrices();
	const documents = new Map<string, UriOutcome>();
	const lab = {
		node,
		metrics,
		fake,
		prices,
		/** What URIs lead to; any other is gone. */
		documents,
		/** URIs that were read, and the most at one time. */
		asked: [] as string[],
		inFlightMax: 0,
		nowMs: NOW_MS,
		signal: new AbortController().signal,
	};
	let inFlight = 0;
	const context: TokenContext = {
		core: {
			...taskCore,
			get indexed() {
				return taskCore.indexed;
			},
			clock: { nowMs: () => lab.nowMs },
		},
		provider: fake.provider,
		prices,
		async readUri(uri) {
			lab.asked.push(uri);
			lab.inFlightMax = Math.max(lab.inFlightMax, ++inFlight);
			await Promise.resolve();
			inFlight--;
			return documents.get(uri) ?? { kind: "failed", code: "gone", isUnreachable: false };
		},
	};
	return {
		lab,
		context,
		/** Sets the contract's answer for a token's URI; null: it reverts. */
		tell(tokenId: bigint, uri: string | null, standard: "erc721" | "erc1155" = "erc721") {
			const selector = standard === "erc721" ? TOKEN_URI : URI;
			const call = `${selector}${tokenId.toString(16).padStart(64, "0")}`;
			if (uri === null) delete node.answers[call];
			else node.answers[call] = encodeAbiParameters([{ type: "string" }], [uri]);
		},
		async run(task: QueueTask, payload: unknown): Promise<void> {
			await task.run(task.payload.parse(payload), { signal: lab.signal });
		},
		/** Takes the jobs that were queued since. */
		jobs: () => node.jobs.splice(0),
	};
}

/** Returns a document of a token with these traits. */
export function documentOf(
	traits: Record<string, string>,
	given: Partial<Extract<UriOutcome, { kind: "read" }>> = {},
): UriOutcome {
	return {
		kind: "read",
		name: "Cat",
		description: null,
		imageUrl: "https://images.test/cat.png",
		animationUrl: null,
		traits: Object.entries(traits).map(([type, value]) => ({ type, value, displayType: null })),
		...given,
	};
}

/** Returns a token as the provider describes it. */
export function nftOf(
	contract: Address,
	tokenId: bigint,
	given: Partial<ProviderNft> = {},
): ProviderNft {
	return {
		chainId: ethereum.id,
		contract,
		tokenId,
		standard: "erc721",
		collectionSlug: "cats",
		name: "Provider's cat",
		description: null,
		imageUrl: "https://provider.test/cat.png",
		animationUrl: null,
		metadataUrl: null,
		traits: [],
		rank: null,
		...given,
	};
}

/** Stores the provider's name for a collection, as a sync does. */
export async function nameAtProvider(db: Database, collectionId: number, slug: string) {
	await db.execute(
		`insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, $2, $3)
		on conflict (collection_id) do update set provider_slug = excluded.provider_slug`,
		[collectionId, ethereum.id, slug],
	);
}

type StoredToken = {
	tokenId: string;
	name: string | null;
	traits: unknown;
	rank: number | null;
	source: string | null;
	failures: number;
	code: string | null;
	uri: string | null;
	hash: string | null;
	waitsMs: number | null;
};

/** Returns tokens as they are stored, by id, and how long each waits from NOW. */
export async function storedTokens(db: Database, collectionId: number): Promise<StoredToken[]> {
	return db.query<StoredToken>(
		`select token_id as "tokenId", name, traits, rank, source, failures, failed_code as code,
			token_uri as uri, encode(token_uri_hash, 'hex') as hash,
			(extract(epoch from next_at - $2::timestamptz) * 1000)::float8 as "waitsMs"
		from market_index.token where collection_id = $1 order by token_id`,
		[collectionId, new Date(NOW_MS)],
	);
}
