// Reads what sampled tokens of a watched collection show.

import type { Clock } from "#core/clock.ts";
import { sleep } from "#core/time.ts";
import type { RevealIndex, ShownToken } from "#plugins/market-index/contract.ts";
import type { Signal, Trigger } from "#plugins/reveal-snipe/detection.ts";
import {
	DOCUMENTS_APART_MS,
	DOCUMENTS_GRACE_MS,
	LOOK_TIMEOUT_MS,
	PROBE_TOKENS,
} from "#plugins/reveal-snipe/limits.ts";
import { haveMoved, mergePrints, type Print, printOf } from "#plugins/reveal-snipe/prints.ts";
import type { Watched } from "#plugins/reveal-snipe/watch/judgeLook.ts";

export type ProbeDeps = {
	core: { clock: Clock };
	index: RevealIndex;
	signals: ReadonlySet<Signal>;
	signal: AbortSignal;
};

/** Holds what the tokens of one check show, as far as that is known. */
export type Found = {
	prints: readonly Print[];
	/** Holds the tokens with what they show, in the order of `prints`. */
	shown: readonly ShownToken[];
	isUriChanged: boolean;
	/**
	 * The URIs of all tokens that the contract returned, also where no document could be read; null:
	 * none.
	 */
	uris: ReadonlyMap<string, string | null>;
};

/** Holds a token with its URI: empty where the contract returns none. */
type Told = { tokenId: bigint; uri: string };

type ReadToken = Told & { shown: Omit<ShownToken, "uri"> | null };

/**
 * Chooses the tokens to check, again while there are fewer than wanted, and reads what the index
 * stored of those that no check has read.
 */
export async function pickTokens(index: RevealIndex, watched: Watched): Promise<void> {
	const { subject } = watched;
	if (watched.seen.tokenIds.length < PROBE_TOKENS) {
		const tokenIds = await index.probeTokens(subject.id, PROBE_TOKENS);
		watched.seen = { ...watched.seen, tokenIds };
	}
	const { baseline, tokenIds } = watched.seen;
	const known = new Set([...baseline.map(({ tokenId }) => tokenId), ...watched.stored.keys()]);
	const fresh = tokenIds.filter((tokenId) => !known.has(String(tokenId)));
	if (fresh.length === 0) return;
	const stored = await index.stored(subject.id, fresh);
	const prints = stored.map(({ tokenId, uri, isOwnWord, ...shown }) => {
		return { ...printOf({ tokenId, uri: null, shown }), uri, isOwnWord };
	});
	watched.stored = new Map(
		[...watched.stored.values(), ...prints].map((one) => [one.tokenId, one]),
	);
}

/**
 * Returns what tokens showed before this check: by earlier checks, else by what the index stored. A
 * token that was never read before is not compared.
 */
export function knownBaseline(
	{ seen, stored }: Watched,
	prints: readonly Print[],
): readonly Print[] {
	const known = new Set(seen.baseline.map(({ tokenId }) => tokenId));
	const before = prints.flatMap(({ tokenId, picture }): Print[] => {
		const found = known.has(tokenId) ? undefined : stored.get(tokenId);
		if (!found) return [];
		const { isOwnWord, ...print } = found;
		// The provider shows pictures at addresses of its own.
		return [isOwnWord ? print : { ...print, picture }];
	});
	return [...seen.baseline, ...before];
}

/**
 * Reads the documents of a check. Null where there is no reason to, or where so little can be read
 * now that nothing follows from it.
 */
export async function readProbes(
	deps: ProbeDeps,
	{ watched, trigger }: { watched: Watched; trigger: Trigger },
	uris: readonly (string | null)[],
): Promise<Found | null> {
	const { core, index, signals } = deps;
	const { seen } = watched;
	const told = seen.tokenIds.flatMap((tokenId, place) => {
		const uri = uris[place] ?? null;
		return uri === null ? [] : [{ tokenId, uri }];
	});
	if (!isEnough(told.length, seen.tokenIds.length)) return null;
	if (await haveGone(index, watched, told)) return null;
	const known = mergePrints(seen.baseline, seen.latest);
	const places = told.map((token) => printOf({ ...token, shown: null }));
	const isUriChanged = signals.has("uri_hash") && haveMoved(known, places);
	const nowMs = core.clock.nowMs();
	const isRested = nowMs - watched.failedAtMs >= DOCUMENTS_APART_MS;
	const isWorthIt =
		watched.rerolled !== null ||
		(isRested && (isUriChanged || seen.latest.length === 0)) ||
		(signals.has("traits") && asksForDocuments(trigger, watched, { nowMs, signals }));
	if (!isWorthIt) return null;
	watched.documentsAtMs = nowMs;
	const read = await readDocuments(deps, told, hadDocument(watched));
	if (!isEnough(read.length, seen.tokenIds.length)) {
		watched.failedAtMs = nowMs;
		return null;
	}
	return {
		isUriChanged,
		uris: new Map(places.map(({ tokenId, uri }) => [tokenId, uri])),
		prints: read.map(printOf),
		shown: read.map(({ uri, shown }) => ({ imageUrl: null, traits: null, ...shown, uri })),
	};
}

/** Returns whether half of the checked tokens are known. */
function isEnough(known: number, all: number): boolean {
	return known >= 2 && known * 2 >= all;
}

/**
 * Returns whether tokens that had a URI were burnt, and then takes others for the next check. One
 * that still exists was hidden by its contract.
 */
async function haveGone(
	index: RevealIndex,
	watched: Watched,
	told: readonly Told[],
): Promise<boolean> {
	const { seen, subject } = watched;
	const had = new Set(seen.latest.flatMap(({ uri, tokenId }) => (uri === null ? [] : [tokenId])));
	const isLost = told.some(({ tokenId, uri }) => uri === "" && had.has(String(tokenId)));
	if (!isLost) return false;
	const tokenIds = await index.probeTokens(subject.id, PROBE_TOKENS);
	const kept = new Set(tokenIds);
	if (seen.tokenIds.every((tokenId) => kept.has(tokenId))) return false;
	watched.seen = { ...seen, tokenIds };
	return true;
}

/**
 * Returns the tokens that had a document. Where such a one is gone, its server is in trouble: only
 * a contract takes documents back.
 */
function hadDocument({ seen, stored }: Watched): ReadonlySet<string> {
	const prints = [...seen.baseline, ...seen.latest, ...stored.values()];
	return new Set(prints.flatMap(({ isThere, tokenId }) => (isThere ? [tokenId] : [])));
}

/** Reads documents at once; the slowest are waited for briefly once half are there. */
async function readDocuments(
	{ index, signal }: ProbeDeps,
	told: readonly Told[],
	had: ReadonlySet<string>,
): Promise<ReadToken[]> {
	const over = new AbortController();
	const inTime = AbortSignal.any([signal, over.signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const read: ReadToken[] = [];
	const half = Promise.withResolvers<void>();
	const reads = told.map(async ({ tokenId, uri }) => {
		const document =
			uri === "" ? { kind: "none" as const } : await index.document(uri, { signal: inTime });
		if (over.signal.aborted) return;
		if (document.kind === "read") read.push({ tokenId, uri, shown: document });
		const isGone = document.kind === "none" && (uri === "" || !had.has(String(tokenId)));
		if (isGone) read.push({ tokenId, uri, shown: null });
		if (isEnough(read.length, told.length)) half.resolve();
	});
	const all = Promise.allSettled(reads);
	await Promise.race([all, half.promise.then(() => sleep(DOCUMENTS_GRACE_MS, inTime))]);
	over.abort();
	const order = new Map(told.map(({ tokenId }, place) => [tokenId, place]));
	return read.sort((a, b) => (order.get(a.tokenId) ?? 0) - (order.get(b.tokenId) ?? 0));
}

/**
 * Returns true where documents should be read: the contract announced a change, or the poll is due.
 * A block is a reason only if the URI signal is off.
 */
function asksForDocuments(
	{ signal, isPolled }: Trigger,
	watched: Watched,
	{ nowMs, signals }: { nowMs: number; signals: ReadonlySet<Signal> },
): boolean {
	if (signal === "metadata_event" || isPolled) return true;
	if (signal === "block" && signals.has("uri_hash")) return false;
	return nowMs - watched.documentsAtMs >= DOCUMENTS_APART_MS;
}
