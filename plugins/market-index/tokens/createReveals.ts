import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { moveReveal, readingOf } from "#plugins/market-index/reveal.ts";
import {
	type RevealIndex,
	TOKENS_MAX,
	type TokenContext,
} from "#plugins/market-index/tokens/contract.ts";
import { readPart, readUrisOf } from "#plugins/market-index/tokens/readTokenUris.ts";
import {
	beginReread,
	endReread,
	noteRevealsChecked,
	pickProbeTokens,
	readRankedTokens,
	readRereadState,
	readRevealSubjects,
} from "#plugins/market-index/tokens/sql/ranks.ts";
import { learnTokens, tokenState } from "#plugins/market-index/tokens/sql/tokens.ts";
import { storableDocument } from "#plugins/market-index/tokens/storable.ts";
import { countTraitsNow, rankTokensNow } from "#plugins/market-index/tokens/traitsTask.ts";

/** Makes the index's part in the detection of reveals: tables and readers stay the index's own. */
export function createReveals(context: TokenContext): RevealIndex {
	const { core, readUri } = context;
	const { db } = core;
	return {
		subjects: (ids, within) => readRevealSubjects(within ?? db, ids),
		probeTokens: (collectionId, count) => pickProbeTokens(db, collectionId, count),
		async uris(chainId, tokens, options) {
			const access = accessOf(core, chainId);
			return access
				? readUrisOf(access.rpcFor("reveals"), tokens, options)
				: tokens.map(() => null);
		},
		async document(uri, options) {
			const outcome = await readUri(uri, options);
			if (outcome.kind !== "read") return null;
			const { imageUrl, traits } = storableDocument(outcome);
			return { imageUrl, traits };
		},
		reading: readingOf,
		move: moveReveal,
		checked: (ids, at) => noteRevealsChecked(db, ids, at),
		async learn(collectionId, at) {
			await db.transaction((tx) => learnTokens(tx, { collectionId, at }));
		},
		beginReread,
		async reread(collectionId, { signal, untilMs, hiddenTraits }) {
			const state = await tokenState(db, collectionId);
			const access = state && accessOf(core, state.chainId);
			if (!access || state.rereadSince === null) return null;
			const since = state.rereadSince;
			const part = await readPart(context, access, state, { signal, since, untilMs });
			const progress = await readRereadState(db, { collectionId, since, hiddenTraits });
			return { ...part, ...progress };
		},
		countTraits: async (collectionId, { signal }) => {
			await countTraitsNow(context, collectionId, signal);
		},
		rank: (collectionId) => rankTokensNow(context, collectionId),
		endReread,
		ranked: (collectionId) => readRankedTokens(db, collectionId, TOKENS_MAX),
	};
}

function accessOf({ indexed }: Pick<Core, "indexed">, chainId: number): ChainAccess | undefined {
	return indexed.find(({ chain }) => chain.id === chainId);
}
