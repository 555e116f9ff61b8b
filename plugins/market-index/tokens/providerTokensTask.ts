// Asks the provider about tokens that could not be read, or that are unknown here.

import { z } from "zod";
import type { NewJob, QueueTask } from "#core/queue.ts";
import {
	PART_TIMEOUT_MS,
	PROVIDER_PAGE,
	PROVIDER_PAGES_MAX,
	PROVIDER_SINGLE_MAX,
	TOKENS_MAX,
	type TokenContext,
} from "#plugins/market-index/tokens/model.ts";
import { unheardTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";
import {
	noteProviderAsked,
	type ProviderToken,
	storeProviderStandard,
	writeProviderTokens,
} from "#plugins/market-index/tokens/sql/providerTokens.ts";
import { type TokenState, tokenState } from "#plugins/market-index/tokens/sql/tokens.ts";
import { coversSupply, storableDocument } from "#plugins/market-index/tokens/storable.ts";
import {
	PROVIDER_TOKENS_TASK,
	providerTokensJob,
	readTokensJob,
	TOKEN_LANE,
	traitsDelayMs,
	traitsJob,
	wantsProvider,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import type { ProviderNft } from "#plugins/provider/contract.ts";

const payload = z.object({ collectionId: z.int(), cursor: z.string().nullable().default(null) });

/**
 * Makes the task that asks the provider about tokens that could not be read, or that are unknown
 * here. Metadata from a token's own URI stays, whatever the provider's is; after a fault the rest
 * is left to the next attempt.
 */
export function providerTokensTask(context: TokenContext): QueueTask<typeof payload> {
	const { core, provider } = context;
	return {
		name: PROVIDER_TOKENS_TASK,
		payload,
		attemptsMax: 8,
		timeoutMs: PART_TIMEOUT_MS,
		lane: TOKEN_LANE,
		async run({ collectionId, cursor }, { signal }) {
			const state = await tokenState(core.db, collectionId);
			const nowMs = core.clock.nowMs();
			if (!state?.providerSlug) return;
			if (cursor === null && !wantsProvider(provider, state, nowMs)) return;
			const told = await ask(context, state, { cursor, signal });
			const after = await tokenState(core.db, collectionId);
			if (!after) return;
			const jobs: NewJob[] = [];
			if (told.cursor !== null) jobs.push(providerTokensJob(state.id, { cursor: told.cursor }));
			if (told.changed > 0) {
				jobs.push(traitsJob(state.id, { delayMs: traitsDelayMs(after, "done", nowMs) }));
			}
			// Tokens that only the provider knew can be read themselves now.
			if (after.tokens > state.tokens) jobs.push(readTokensJob(state.id));
			const at = new Date(core.clock.nowMs());
			// In one transaction: once it is recorded, no other job would queue these.
			await core.db.transaction(async (tx) => {
				if (told.cursor === null) await noteProviderAsked(tx, { collectionId, at });
				await core.queue.add(tx, jobs);
			});
		},
	};
}

type Told = { cursor: string | null; changed: number };

async function ask(
	context: TokenContext,
	state: TokenState,
	{ cursor, signal }: { cursor: string | null; signal: AbortSignal },
): Promise<Told> {
	const isWhole = coversSupply(state.tokens, state.supply);
	if (cursor === null && isWhole && state.unheard <= PROVIDER_SINGLE_MAX) {
		return askSingly(context, state, signal);
	}
	return askPages(context, state, { cursor, signal });
}

async function askSingly(
	{ core, provider }: TokenContext,
	state: TokenState,
	signal: AbortSignal,
): Promise<Told> {
	const nfts: ProviderNft[] = [];
	for (const tokenId of await unheardTokens(core.db, state.id, PROVIDER_SINGLE_MAX)) {
		const { chainId, address } = state;
		const nft = await provider.nft(
			{ chainId, address, tokenId },
			{ purpose: "background", signal },
		);
		if (nft) nfts.push(nft);
	}
	return { cursor: null, changed: await store(core, state, nfts) };
}

async function askPages(
	{ core, provider }: TokenContext,
	state: TokenState,
	{ cursor, signal }: { cursor: string | null; signal: AbortSignal },
): Promise<Told> {
	let next = cursor;
	let changed = 0;
	for (let page = 0; page < PROVIDER_PAGES_MAX; page++) {
		const { chainId, address, providerSlug, isTwin } = state;
		// A page of the slug has no chain: where that would mix two contracts, this one's is read.
		const of = isTwin || providerSlug === null ? { chainId, address } : { slug: providerSlug };
		const { items, cursor: following } = await provider.nfts(of, {
			purpose: "background",
			signal,
			limit: PROVIDER_PAGE,
			...(next !== null && { cursor: next }),
		});
		changed += await store(core, state, items);
		// A cursor that leads to itself would be followed forever.
		if (following === null || following === next) return { cursor: null, changed };
		next = following;
	}
	return { cursor: next, changed };
}

/** Stores tokens; of a provider's collection on several contracts only this contract's. */
async function store(
	core: TokenContext["core"],
	{ id, chainId, address, standard: known, tokens: count }: TokenState,
	nfts: readonly ProviderNft[],
): Promise<number> {
	const own = nfts.filter((nft) => {
		return nft.contract === address && (nft.chainId ?? chainId) === chainId;
	});
	const tokens = own.map((nft): ProviderToken => {
		return { tokenId: nft.tokenId, rank: nft.rank, ...storableDocument(nft) };
	});
	if (tokens.length === 0) return 0;
	const standard = own.find((nft) => nft.standard !== null)?.standard ?? known;
	const at = new Date(core.clock.nowMs());
	const room = Math.max(TOKENS_MAX - count, 0);
	const told = { collectionId: id, at, tokens, room };
	return core.db.transaction(async (tx) => {
		const changed = await writeProviderTokens(tx, told);
		if (standard !== known) await storeProviderStandard(tx, { collectionId: id, standard });
		return changed;
	});
}
