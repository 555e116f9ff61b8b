import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import { AHEAD_TOKENS, PART_TOKENS_MAX } from "#plugins/market-index/tokens/limits.ts";
import { readTokenUris } from "#plugins/market-index/tokens/readTokenUris.ts";
import { dueTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";
import type { TokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";

/** A due token, with the URI of its document. */
export type DueToken = { tokenId: bigint; uri: string };

export type SupplyOptions = {
	core: Pick<Core, "db" | "clock">;
	rpc: Rpc;
	collection: Pick<TokenState, "id" | "address" | "standard">;
	signal: AbortSignal;
	/** Set where all tokens are read again: those not read since then are due. */
	since?: Date | undefined;
	/** Called with tokens whose URI the contract does not tell. */
	untold(tokenId: bigint): Promise<void>;
};

export type Supply = {
	/** Takes the next token by id, if one is ready; starts reading the next part in good time. */
	take(): DueToken | null;
	/** Says whether no more will come. */
	isDone(): boolean;
	/** Waits for the part under way. Throws where database or node failed. */
	filled(): Promise<void>;
	/** Waits until no call is under way any more. */
	close(): Promise<void>;
};

/**
 * Makes a supply of one collection's due tokens, each once, with their URIs. The next part is read
 * while the last one is still in use: only the beginning waits for the node.
 */
export function createSupply(options: SupplyOptions): Supply {
	const { core, rpc, collection, signal, since, untold } = options;
	const waiting: DueToken[] = [];
	let after = -1n;
	let isAll = false;
	let filling: Promise<void> | null = null;

	async function refill(): Promise<void> {
		const at = new Date(core.clock.nowMs());
		const limit = PART_TOKENS_MAX;
		const ids = await dueTokens(core.db, { collectionId: collection.id, after, at, limit, since });
		after = ids.at(-1) ?? after;
		const uris = await readTokenUris(rpc, collection, ids, signal);
		for (const [index, tokenId] of ids.entries()) {
			const uri = uris[index];
			if (uri) waiting.push({ tokenId, uri });
			else await untold(tokenId);
		}
		isAll = ids.length < limit;
		filling = null;
	}

	function fill(): Promise<void> {
		if (filling === null) {
			filling = refill();
			// A failure is kept for the next waiter: there may be none yet.
			filling.catch(() => {});
		}
		return filling;
	}

	return {
		take() {
			const due = waiting.shift() ?? null;
			if (waiting.length < AHEAD_TOKENS && !isAll) void fill();
			return due;
		},
		isDone: () => isAll && waiting.length === 0,
		filled: () => (isAll ? Promise.resolve() : fill()),
		async close() {
			await filling?.catch(() => {});
		},
	};
}
