// Reads the URIs and documents of a collection's due tokens, a part at a time.

import { createHash } from "node:crypto";
import { readAbiText } from "#core/chain/abi.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { View } from "#plugins/market-index/metadata/callContract.ts";
import { type CallOptions, callEach } from "#plugins/market-index/metadata/callEach.ts";
import { HOST_LIMITED } from "#plugins/market-index/metadata/createDocumentReader.ts";
import {
	AHEAD_TOKENS,
	PART_MS,
	PART_TOKENS_MAX,
	READS_IN_FLIGHT_MAX,
	type TokenContext,
	UNREACHABLE_MAX,
} from "#plugins/market-index/tokens/model.ts";
import {
	dueTokens,
	type FailedToken,
	failTokens,
} from "#plugins/market-index/tokens/sql/dueTokens.ts";
import {
	type ReadToken,
	type TokenState,
	writeTokens,
} from "#plugins/market-index/tokens/sql/tokens.ts";
import { shownUri, storableDocument, storableUri } from "#plugins/market-index/tokens/storable.ts";

/** A token of any contract of a chain. */
export type AskedToken = {
	contract: { address: Address; standard: "erc721" | "erc1155" };
	tokenId: bigint;
};

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

export type Part = {
	read: number;
	failed: number;
	/** Tokens with other traits than before, and with another URI. */
	changed: number;
	swapped: number;
	/** `late`: there are more, and the time is up. `unreachable`: no server has the documents. */
	end: "done" | "late" | "unreachable";
};

export type PartOptions = {
	signal: AbortSignal;
	/** Set where all tokens are read again: those not read since then are due. */
	since?: Date | undefined;
	/** Begins nothing new after this, where that is before the part's own time is up. */
	untilMs?: number | undefined;
};

/** `tokenURI(uint256)` and `uri(uint256)`. */
const SELECTOR = { erc721: "0xc87b56dd", erc1155: "0x0e89341c" } as const;

/**
 * Reads due tokens of one collection, by id, for a bounded time: a window of concurrent documents,
 * written in parts, so that memory holds a part of a collection and never all of it.
 *
 * A slow server delays its own documents and not the part: the window moves on.
 */
export async function readPart(
	{ core, readUri }: Pick<TokenContext, "core" | "readUri">,
	{ rpcFor }: Pick<ChainAccess, "rpcFor">,
	collection: Pick<TokenState, "id" | "address" | "standard">,
	{ signal, since, untilMs = Number.POSITIVE_INFINITY }: PartOptions,
): Promise<Part> {
	const part: Part = { read: 0, failed: 0, changed: 0, swapped: 0, end: "done" };
	const endsAtMs = Math.min(core.clock.nowMs() + PART_MS, untilMs);
	const writer = createWriter(core, collection.id, part);
	let unreachable = 0;
	let unasked = 0;
	const supply = createSupply({
		core,
		rpc: rpcFor("tokens"),
		collection,
		signal,
		since,
		untold: (tokenId) =>
			writer.fail({ tokenId, code: "token_uri_untold", uri: null, uriHash: null }),
	});
	const next = async () => {
		while (part.end === "done") {
			signal.throwIfAborted();
			if (core.clock.nowMs() > endsAtMs) part.end = "late";
			else if (unreachable >= UNREACHABLE_MAX) part.end = "unreachable";
			else {
				const due = supply.take();
				if (due || supply.isDone()) return due;
				await supply.filled();
			}
		}
		return null;
	};
	const work = async () => {
		for (let due = await next(); due; due = await next()) {
			const outcome = await readUri(due.uri, { signal });
			// An aborted reading says nothing about the token.
			signal.throwIfAborted();
			const { tokenId } = due;
			const uriHash = hashOf(due.uri);
			if (outcome.kind === "read") {
				unreachable = 0;
				const uri = storableUri(due.uri);
				await writer.read({ tokenId, uri, uriHash, ...storableDocument(outcome) });
			} else if (outcome.code === HOST_LIMITED) {
				// No request was sent: the token stays due.
				unreachable++;
				unasked++;
			} else {
				unreachable = outcome.isUnreachable ? unreachable + 1 : 0;
				await writer.fail({ tokenId, uri: shownUri(due.uri), uriHash, code: outcome.code });
			}
		}
	};
	const outcomes = await Promise.allSettled(Array.from({ length: READS_IN_FLIGHT_MAX }, work));
	await supply.close();
	await writer.flush();
	for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
	if (unasked > 0 && part.end === "done") part.end = "unreachable";
	return part;
}

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

/**
 * Reads the URIs of tokens from a contract, in one batch. Null where it reverts or answers nothing
 * readable; an ERC-1155's `{id}` is filled in (64 hex digits, as ERC-1155 says).
 */
export async function readTokenUris(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
	tokenIds: readonly bigint[],
	signal: AbortSignal,
): Promise<(string | null)[]> {
	const asked = tokenIds.map((tokenId) => ({ contract, tokenId }));
	const told = await readUrisOf(rpc, asked, { signal });
	return told.map((uri) => uri || null);
}

/**
 * Reads the URIs of tokens of several contracts, as `readTokenUris` does; one call where the chain
 * has Multicall3. Empty where the contract itself says that there is none; null where nothing was
 * learned.
 */
export async function readUrisOf(
	rpc: Rpc,
	tokens: readonly AskedToken[],
	options: CallOptions,
): Promise<(string | null)[]> {
	const views: View[] = tokens.map(({ contract: { address, standard }, tokenId }) => {
		const data: Hex = `${SELECTOR[standard]}${wordOf(tokenId)}`;
		return { contract: address, data };
	});
	const unsure = new Set<View>();
	const answers = await callEach(rpc, views, { ...options, unsure });
	return tokens.map(({ tokenId }, index) => {
		const [answer, view] = [answers[index] ?? null, views[index]];
		if (answer === null) return view && unsure.has(view) ? null : "";
		return readAbiText(answer)?.trim().replaceAll("{id}", wordOf(tokenId)) ?? null;
	});
}

/** Makes a writer that collects results until they are a part, and writes it. */
function createWriter(core: TokenContext["core"], collectionId: number, part: Part) {
	const beganAt = new Date(core.clock.nowMs());
	let read: ReadToken[] = [];
	let failed: FailedToken[] = [];
	const flush = async () => {
		const tokens = read;
		const lost = failed;
		read = [];
		failed = [];
		const at = new Date(core.clock.nowMs());
		if (tokens.length > 0) {
			const write = { collectionId, beganAt, at, tokens };
			const { changed, swapped } = await core.db.transaction((tx) => writeTokens(tx, write));
			part.read += tokens.length;
			part.changed += changed;
			part.swapped += swapped;
		}
		if (lost.length > 0) {
			const failing = { collectionId, beganAt, at, tokens: lost };
			part.swapped += await core.db.transaction((tx) => failTokens(tx, failing));
			part.failed += lost.length;
		}
	};
	const flushFull = async () => {
		if (read.length + failed.length >= PART_TOKENS_MAX) await flush();
	};
	return {
		flush,
		async read(token: ReadToken) {
			read.push(token);
			await flushFull();
		},
		fail(token: FailedToken) {
			failed.push(token);
			return flushFull();
		},
	};
}

function hashOf(uri: string): Uint8Array {
	return createHash("sha256").update(uri).digest();
}

function wordOf(id: bigint): string {
	return id.toString(16).padStart(64, "0");
}
