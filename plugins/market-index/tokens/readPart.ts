import { createHash } from "node:crypto";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { HOST_LIMITED } from "#plugins/market-index/metadata/tokenUri/createHostPace.ts";
import { createSupply } from "#plugins/market-index/tokens/createSupply.ts";
import {
	PART_MS,
	PART_TOKENS_MAX,
	READS_IN_FLIGHT_MAX,
	UNREACHABLE_MAX,
} from "#plugins/market-index/tokens/limits.ts";
import { type FailedToken, failTokens } from "#plugins/market-index/tokens/sql/failTokens.ts";
import type { TokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";
import { type ReadToken, writeTokens } from "#plugins/market-index/tokens/sql/writeTokens.ts";
import { storableDocument } from "#plugins/market-index/tokens/storableDocument.ts";
import { shownUri, storableUri } from "#plugins/market-index/tokens/storableUri.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";

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
