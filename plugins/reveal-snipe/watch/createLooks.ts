// Looks at collections for a reveal, and stores what it finds.

import { parseHead } from "#core/chain/heads/Head.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { RevealIndex, ShownToken } from "#plugins/market-index/contract.ts";
import type { Evidence, Signal, Trigger } from "#plugins/reveal-snipe/detection.ts";
import { DOCUMENTS_APART_MS, LOOK_TIMEOUT_MS, PROBE_TOKENS } from "#plugins/reveal-snipe/limits.ts";
import { appendRevealFrame } from "#plugins/reveal-snipe/revealTools.ts";
import {
	insertDetection,
	type NewDetection,
	readLastDetections,
	type Seen,
	writeSeen,
} from "#plugins/reveal-snipe/sql/detections.ts";
import { endPlansDue } from "#plugins/reveal-snipe/sql/plans.ts";
import {
	contentDigestOf,
	digestOf,
	judgeLook,
	type Verdict,
	type Watched,
} from "#plugins/reveal-snipe/watch/judgeLook.ts";

export type LookDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox" | "metrics">;
	access: Pick<ChainAccess, "chain" | "rpcFor">;
	index: RevealIndex;
	signals: ReadonlySet<Signal>;
	/** Returns the lease for this chain; null where another process holds it. */
	lease(): Promise<Lease | null>;
	/** Called when a reveal was detected and stored. */
	onDetected(): void;
	/** Called when a look is over: the collection may be looked at again. */
	onLooked(): void;
	signal: AbortSignal;
};

type Look = { watched: Watched; trigger: Trigger };

/** What the tokens of one look show, as far as their documents could be read. */
type Found = { uriDigest: string; isUriChanged: boolean; shown: readonly ShownToken[] };

type News = { verdict: Verdict; now: Seen; evidence: Evidence; at: Date };

/**
 * Makes the function that looks at collections: it reads the URIs of some of their tokens, all of
 * one tick in one call, and the documents where a URI changed or a strong reason exists. A finding
 * is stored together with its consequences, or not at all.
 */
export function createLooks(deps: LookDeps): (looks: readonly Look[]) => Promise<void> {
	const { access, index, signal } = deps;
	const { chain } = access;
	return async (looks) => {
		for (const { watched } of looks) await pickTokens(index, watched);
		const asked = looks.flatMap(({ watched: { subject, seen } }) => {
			return seen.tokenIds.map((tokenId) => ({ contract: subject, tokenId }));
		});
		const minBlock = Math.max(...looks.map(({ trigger }) => trigger.block?.number ?? 0));
		const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
		const [uris] = await Promise.all([
			index.uris(chain.id, asked, { signal: inTime, minBlock }),
			dateBlocks(access, looks, inTime),
		]);
		let at = 0;
		for (const look of looks) {
			const count = look.watched.seen.tokenIds.length;
			const own = uris.slice(at, at + count);
			at += count;
			look.watched.isLooking = true;
			// A slow document server delays only its own collection.
			void finish(deps, look, own).finally(() => {
				look.watched.isLooking = false;
				deps.onLooked();
			});
		}
	};
}

/**
 * Reads the times of blocks whose log arrived before the header, in parallel, so that nothing waits
 * for them. A time that cannot be read stays unknown.
 */
async function dateBlocks(
	{ rpcFor }: Pick<ChainAccess, "rpcFor">,
	looks: readonly Look[],
	signal: AbortSignal,
): Promise<void> {
	const undated = looks.flatMap(({ trigger: { block } }) => (block?.atMs === null ? [block] : []));
	const numbers = [...new Set(undated.map(({ number }) => number))];
	if (numbers.length === 0) return;
	const calls = numbers.map((number) => {
		return { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] };
	});
	const answers = await rpcFor("reveals")
		.settle(calls, { signal })
		.catch(() => []);
	for (const [index, answer] of answers.entries()) {
		const header = answer.kind === "result" ? parseHead(answer.result) : null;
		for (const block of undated) {
			if (block.number === numbers[index]) block.atMs = header?.timestampMs ?? null;
		}
	}
}

async function finish(deps: LookDeps, look: Look, uris: readonly (string | null)[]): Promise<void> {
	try {
		const found = await readDocuments(deps, look, uris);
		if (found) await conclude(deps, look, found);
	} catch (error) {
		if (deps.signal.aborted) return;
		const { address } = look.watched.subject;
		deps.core.log.warn("a look at a collection failed", { contract: address, error });
	}
}

/** Judges a finding, and stores it with its consequences. */
async function conclude(deps: LookDeps, look: Look, found: Found): Promise<void> {
	const { watched } = look;
	const { subject, seen, last } = watched;
	const nowMs = deps.core.clock.nowMs();
	const reading = deps.index.reading(found.shown);
	const contentDigest = contentDigestOf(found.shown);
	watched.hiddenLooks = reading === "hidden" ? watched.hiddenLooks + 1 : 0;
	const verdict = judgeLook({
		...{ state: subject.revealState, before: seen.reading, reading, contentDigest, last, nowMs },
		...{ isUriChanged: found.isUriChanged, hiddenLooks: watched.hiddenLooks },
	});
	const now: Seen = {
		...{ tokenIds: seen.tokenIds, uriDigest: found.uriDigest, contentDigest, reading },
		hiddenTraits: reading === "hidden" ? (found.shown[0]?.traits ?? null) : seen.hiddenTraits,
	};
	// A postponed reveal must still look new at the next look.
	if (verdict.kind === "nothing" && seen.reading === "hidden") now.reading = "hidden";
	if (verdict.kind === "nothing" && isSame(now, seen)) return;
	const evidence = found.isUriChanged ? "uri_hash" : "traits";
	const isStored = await store(deps, look, { verdict, now, evidence, at: new Date(nowMs) });
	if (isStored) watched.seen = now;
}

/** Stores the finding with its consequences; returns false without the lease. */
async function store(deps: LookDeps, look: Look, news: News): Promise<boolean> {
	const { core, access, index } = deps;
	const { chain } = access;
	const { subject } = look.watched;
	const { verdict, now, at } = news;
	const lease = await deps.lease();
	if (!lease) return false;
	const detection = detectionOf(chain.id, look, news);
	const isDetected = await core.db.transaction(async (tx) => {
		await requireLease(tx, lease);
		await writeSeen(tx, subject.id, now);
		if (verdict.kind === "move") {
			const moved = await index.move(tx, { collectionId: subject.id, event: verdict.event, at });
			if (!moved) return false;
			subject.revealState = moved.to;
			const phase = moved.to === "placeholder" ? "placeholder" : "revealed";
			// Plans must not buy by ranks and traits of a reveal that was taken back.
			if (moved.to === "placeholder") await endPlansDue(tx, subject.id);
			appendRevealFrame(core.outbox, tx, { chain, subject, phase, detection: null, at });
		}
		if (verdict.kind !== "reveal") return false;
		if ((await insertDetection(tx, detection)) === null) return false;
		appendRevealFrame(core.outbox, tx, { chain, subject, phase: "detected", detection, at });
		return true;
	});
	if (!isDetected) return true;
	const last = await readLastDetections(core.db, [subject.id]);
	look.watched.last = last.get(subject.id) ?? null;
	logDetection(core, chain.slug, look, detection);
	deps.onDetected();
	return true;
}

function detectionOf(chainId: number, { watched, trigger }: Look, news: News): NewDetection {
	const { now, evidence, at } = news;
	const blockAtMs = trigger.block?.atMs ?? null;
	return {
		...{ collectionId: watched.subject.id, chainId, signal: trigger.signal, evidence },
		blockNumber: trigger.block?.number ?? null,
		blockAt: blockAtMs === null ? null : new Date(blockAtMs),
		heardAt: new Date(trigger.heardAtMs),
		detectedAt: at,
		// The node's clock may be ahead of ours.
		delayMs: blockAtMs === null ? null : Math.max(at.getTime() - blockAtMs, 0),
		contentDigest: now.contentDigest ?? "",
		hiddenTraits: now.hiddenTraits,
	};
}

function logDetection(
	{ metrics, log }: LookDeps["core"],
	chain: string,
	{ watched }: Look,
	{ signal, evidence, blockNumber, delayMs }: NewDetection,
): void {
	const detections = metrics.counter({
		name: "reveals_detected_total",
		help: "Reveals that were noticed, by what made us look.",
		labels: ["chain", "signal"],
	});
	detections.inc({ chain, signal });
	const contract = watched.subject.address;
	log.info("a reveal was noticed", { contract, signal, evidence, block: blockNumber, delayMs });
}

function isSame(one: Seen, other: Seen): boolean {
	// JSON cannot hold bigint token ids.
	const text = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
	return JSON.stringify(one, text) === JSON.stringify(other, text);
}

/** Chooses the tokens to look at, again while there are fewer than wanted. */
async function pickTokens(index: RevealIndex, watched: Watched): Promise<void> {
	if (watched.seen.tokenIds.length >= PROBE_TOKENS) return;
	const tokenIds = await index.probeTokens(watched.subject.id, PROBE_TOKENS);
	if (tokenIds.join() === watched.seen.tokenIds.join()) return;
	// For other tokens, only the reading (hidden or shown) of the last look is still valid.
	watched.seen = { ...watched.seen, tokenIds, uriDigest: null, contentDigest: null };
}

/** Reads the documents; null where there is no reason to, or too few can be read now. */
async function readDocuments(
	{ core, index, signals, signal }: LookDeps,
	{ watched, trigger }: Look,
	uris: readonly (string | null)[],
): Promise<Found | null> {
	const told = uris.filter((uri) => uri !== null);
	// Burnt tokens have no URI: others are chosen the next time.
	if (told.length * 2 < uris.length) watched.seen = { ...watched.seen, tokenIds: [] };
	if (told.length < 2) return null;
	const { seen } = watched;
	const nowMs = core.clock.nowMs();
	const uriDigest = digestOf(JSON.stringify(uris));
	const isUriChanged = seen.uriDigest !== null && uriDigest !== seen.uriDigest;
	const hasJustFailed = nowMs - watched.failedAtMs < DOCUMENTS_APART_MS;
	const isWorthIt =
		seen.contentDigest === null ||
		(isUriChanged && signals.has("uri_hash") && !hasJustFailed) ||
		(signals.has("traits") && asksForDocuments(trigger, watched, { nowMs, signals }));
	if (!isWorthIt) return null;
	watched.documentsAtMs = nowMs;
	const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const shown = await Promise.all(
		told.map(async (uri) => {
			const document = await index.document(uri, { signal: inTime });
			return document && { ...document, uri };
		}),
	);
	const readable = shown.filter((document) => document !== null);
	if (readable.length < 2) watched.failedAtMs = nowMs;
	if (readable.length < 2) return null;
	return { uriDigest, isUriChanged: isUriChanged && signals.has("uri_hash"), shown: readable };
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
