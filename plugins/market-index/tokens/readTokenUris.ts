// Reads the URIs and documents of a collection's due tokens, a part at a time.

import { createHash } from "node:crypto";
import { readAbiText } from "#core/chain/abi.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { View } from "#plugins/market-index/metadata/callContract.ts";
import { callDocuments, type DocumentOptions } from "#plugins/market-index/metadata/callEach.ts";
import { HOST_LIMITED } from "#plugins/market-index/metadata/createDocumentReader.ts";
import {
	AHEAD_LENGTH,
	AHEAD_TOKENS,
	PART_MS,
	PART_TOKENS_MAX,
	PATIENCE_MIN_MS,
	PATIENCE_TIMES,
	READS_IN_FLIGHT_MAX,
	REREAD_WRITTEN_MS,
	type TokenContext,
	type TokenDocument,
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
	reread?: Reread | undefined;
	/** Called with tokens whose URI is not known; `isNone`: the contract says that there is none. */
	untold(tokenId: bigint, isNone: boolean): Promise<void>;
};

export type Supply = {
	/** Takes the next token by id, if one is ready; starts reading the next part in good time. */
	take(): DueToken | null;
	/** Returns the token that was taken last, or behind which this supply began. */
	last(): bigint;
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
	/** The token after which the next part continues; null: it begins again with the first. */
	after: bigint | null;
};

export type PartOptions = {
	signal: AbortSignal;
	reread?: Reread | undefined;
	/** Begins nothing new after this, where that is before the part's own time is up. */
	untilMs?: number | undefined;
};

/** A token of a reading of all, with what its document shows; null: there is certainly none. */
export type TokenShown = {
	tokenId: bigint;
	shown: Pick<TokenDocument, "imageUrl" | "traits"> | null;
};

/** Reading all tokens of a collection again: those not read since then are due. */
export type Reread = {
	since: Date;
	/** Names tokens that are read once more although they were read since. */
	again: readonly bigint[];
	/** Begins behind this token: tokens before it, put aside, come with the next pass. */
	after: bigint | null;
	/** Passes before this one: each is twice as patient with servers that do not answer. */
	passes: number;
	/** Aborts once enough was read: documents under way are not waited for. */
	enough: AbortSignal;
	/** Called with tokens that were stored, several times a second. */
	onStored(tokens: readonly TokenShown[]): void;
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
	{ signal: ending, reread, untilMs = Number.POSITIVE_INFINITY }: PartOptions,
): Promise<Part> {
	const part: Part = { read: 0, failed: 0, changed: 0, swapped: 0, end: "done", after: null };
	const endsAtMs = Math.min(core.clock.nowMs() + PART_MS, untilMs);
	const writer = createWriter(core, collection.id, { part, reread });
	const signal = reread ? AbortSignal.any([ending, reread.enough]) : ending;
	const patience = createPatience(core.clock, reread?.passes ?? null);
	let unreachable = 0;
	let unasked = 0;
	const supply = createSupply({
		core,
		rpc: rpcFor("tokens"),
		collection,
		signal,
		reread,
		untold: (tokenId, isNone) =>
			writer.fail({ tokenId, code: "token_uri_untold", uri: null, uriHash: null }, isNone),
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
			const { outcome, isPutAside } = await patience.wait(due.uri, readUri, signal);
			// An aborted reading says nothing about the token.
			signal.throwIfAborted();
			if (isPutAside) continue;
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
				const { code, isUnreachable } = outcome;
				unreachable = isUnreachable ? unreachable + 1 : 0;
				await writer.fail({ tokenId, uri: shownUri(due.uri), uriHash, code }, !isUnreachable);
			}
		}
	};
	const over = new AbortController();
	const writing = reread && writeOften(writer, over.signal);
	const outcomes = await Promise.allSettled(Array.from({ length: READS_IN_FLIGHT_MAX }, work));
	over.abort();
	await supply.close();
	await writing;
	await writer.flush();
	ending.throwIfAborted();
	if (reread?.enough.aborted) return { ...part, end: "late" };
	for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
	if (part.end === "late" && !supply.isDone()) part.after = supply.last();
	// Tokens before the one that it began behind may have been put aside.
	if (part.end === "done" && reread && reread.after !== null) part.end = "late";
	if (unasked > 0 && part.end === "done") part.end = "unreachable";
	// They are read again, and longer, by the next part.
	if (patience.putAside() > 0 && part.end === "done") part.end = "late";
	return part;
}

/** Stores what was read since, whether or not it fills a part: a client waits for it. */
async function writeOften(writer: { flush(): Promise<void> }, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await sleep(REREAD_WRITTEN_MS, signal);
		await writer.flush();
	}
}

/**
 * Makes the patience of a reading of all tokens: a document that takes far longer than others are
 * taking is put aside, so that servers that never answer hold no other token up. A null number of
 * passes waits for each as long as it takes.
 */
function createPatience(clock: Core["clock"], passes: number | null) {
	let answered = 0;
	let answeredMs = 0;
	let aside = 0;
	return {
		putAside: () => aside,
		async wait(uri: string, readUri: TokenContext["readUri"], signal: AbortSignal) {
			if (passes === null) return { outcome: await readUri(uri, { signal }), isPutAside: false };
			const meanMs = answered === 0 ? 0 : answeredMs / answered;
			const waitMs = Math.max(PATIENCE_MIN_MS, PATIENCE_TIMES * meanMs) * 2 ** passes;
			const inTime = AbortSignal.timeout(Math.min(waitMs, PART_MS));
			const fromMs = clock.nowMs();
			const asked = { signal: AbortSignal.any([signal, inTime]), isSoon: true };
			const outcome = await readUri(uri, asked);
			const isPutAside = outcome.kind === "failed" && inTime.aborted;
			if (isPutAside) aside++;
			else {
				answered++;
				answeredMs += clock.nowMs() - fromMs;
			}
			return { outcome, isPutAside };
		},
	};
}

/**
 * Makes a supply of one collection's due tokens, each once, with their URIs. The next part is read
 * while the last one is still in use: only the beginning waits for the node.
 */
export function createSupply(options: SupplyOptions): Supply {
	const { core, rpc, collection, signal, reread, untold } = options;
	const waiting: DueToken[] = [];
	let after = reread?.after ?? -1n;
	let last = after;
	let isAll = false;
	let filling: Promise<void> | null = null;

	async function refill(): Promise<void> {
		const at = new Date(core.clock.nowMs());
		const limit = PART_TOKENS_MAX;
		const due = { collectionId: collection.id, after, at, limit, reread };
		const ids = await dueTokens(core.db, due);
		const asked = ids.map((tokenId) => ({ contract: collection, tokenId }));
		const uris = await readUrisOf(rpc, asked, { signal });
		// Long URIs are held a few at a time: the next part begins with the first that is left.
		const readTo = uris.indexOf(undefined);
		const read = readTo < 0 ? ids : ids.slice(0, readTo);
		after = read.at(-1) ?? after;
		for (const [index, tokenId] of read.entries()) {
			const uri = uris[index];
			if (uri) waiting.push({ tokenId, uri });
			else await untold(tokenId, uri === "");
		}
		isAll = read.length < ids.length ? false : ids.length < limit;
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
			last = due?.tokenId ?? last;
			const isRoom = waiting.length < AHEAD_TOKENS && heldOf(waiting) < AHEAD_LENGTH;
			if (isRoom && !isAll) void fill();
			return due;
		},
		last: () => last,
		isDone: () => isAll && waiting.length === 0,
		filled: () => (isAll ? Promise.resolve() : fill()),
		async close() {
			await filling?.catch(() => {});
		},
	};
}

/**
 * Reads the URIs of tokens, also of several contracts; one call where the chain has Multicall3. An
 * ERC-1155's `{id}` is filled in (64 hex digits, as ERC-1155 says). Empty where the contract itself
 * says that there is none; null where nothing was learned, undefined where there was no room for
 * it.
 */
export async function readUrisOf(
	rpc: Rpc,
	tokens: readonly AskedToken[],
	options: Pick<DocumentOptions, "signal" | "minBlock" | "apart">,
): Promise<(string | null | undefined)[]> {
	const views: View[] = tokens.map(({ contract: { address, standard }, tokenId }) => {
		const data: Hex = `${SELECTOR[standard]}${wordOf(tokenId)}`;
		return { contract: address, data };
	});
	const [unsure, left] = [new Set<View>(), new Set<View>()];
	const answers = await callDocuments(rpc, views, { ...options, unsure, left });
	return tokens.map(({ tokenId }, index) => {
		const [answer, view] = [answers[index] ?? null, views[index]];
		if (view && left.has(view)) return undefined;
		if (answer === null) return view && unsure.has(view) ? null : "";
		return readAbiText(answer)?.trim().replaceAll("{id}", wordOf(tokenId)) ?? null;
	});
}

/** Counts the characters of URIs: those that hold their document are long, and few. */
function heldOf(waiting: readonly DueToken[]): number {
	return waiting.reduce((sum, { uri }) => sum + uri.length, 0);
}

/** Makes a writer that collects results until they are a part, and writes it. */
function createWriter(
	core: TokenContext["core"],
	collectionId: number,
	{ part, reread }: { part: Part; reread: Reread | undefined },
) {
	const beganAt = new Date(core.clock.nowMs());
	let read: ReadToken[] = [];
	let failed: FailedToken[] = [];
	/** Lists tokens whose document is certainly not there. */
	let gone: bigint[] = [];
	const flush = async () => {
		const [tokens, lost, missing] = [read, failed, gone];
		read = [];
		failed = [];
		gone = [];
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
		if (tokens.length + missing.length === 0) return;
		reread?.onStored([
			...tokens.map(({ tokenId, imageUrl, traits }) => ({ tokenId, shown: { imageUrl, traits } })),
			...missing.map((tokenId) => ({ tokenId, shown: null })),
		]);
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
		fail(token: FailedToken, isGone: boolean) {
			failed.push(token);
			if (isGone) gone.push(token.tokenId);
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
