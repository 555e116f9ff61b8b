// Looks at collections for a reveal, and stores what it finds.

import type { Address } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/Head.ts";
import { createSlots, type Slots } from "#core/foreign/createForeignFetch.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { RevealIndex, RevealReading } from "#plugins/market-index/contract.ts";
import type { Signal, Trigger } from "#plugins/reveal-snipe/detection.ts";
import {
	LONG_URIS_LENGTH,
	LOOK_TIMEOUT_MS,
	LOOKS_APART_MAX,
	POLL_EVERY_MS,
	WATCHED_MAX,
} from "#plugins/reveal-snipe/limits.ts";
import {
	type Change,
	changeOf,
	commonPlaceOf,
	contentDigestOf,
	haveMoved,
	isAlike,
	isHiddenAgain,
	mergePrints,
	outOf,
	type Print,
} from "#plugins/reveal-snipe/prints.ts";
import { appendRevealFrame } from "#plugins/reveal-snipe/revealTools.ts";
import {
	insertDetection,
	type NewDetection,
	readLastDetections,
	type Seen,
	withdrawDetection,
	writeSeen,
} from "#plugins/reveal-snipe/sql/detections.ts";
import { endPlansDue } from "#plugins/reveal-snipe/sql/plans.ts";
import { judgeLook, type Verdict, type Watched } from "#plugins/reveal-snipe/watch/judgeLook.ts";
import {
	type Found,
	knownBaseline,
	pickTokens,
	readProbes,
} from "#plugins/reveal-snipe/watch/readProbes.ts";

export type LookDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox" | "metrics">;
	access: Pick<ChainAccess, "chain" | "rpcFor">;
	index: RevealIndex;
	signals: ReadonlySet<Signal>;
	/** Returns the lease for this chain; null where another process holds it. */
	lease(): Promise<Lease | null>;
	/** Called when a reveal was detected and stored. */
	onDetected(): void;
	/** Called when a check is over: the collection may be checked again. */
	onLooked(): void;
	signal: AbortSignal;
};

type Look = { watched: Watched; trigger: Trigger };

type News = Pick<NewDetection, "evidence" | "contentDigest" | "baseline"> & {
	verdict: Verdict;
	now: Seen;
	at: Date;
};

/**
 * Makes the function that checks collections for a reveal: it reads the URIs of some of their
 * tokens, all of one tick in one call, and the documents where a URI changed or a strong reason
 * exists. A finding is stored together with its consequences, or not at all.
 */
export function createLooks(deps: LookDeps): (looks: readonly Look[]) => Promise<void> {
	const { access, index, signal } = deps;
	const { chain } = access;
	const slots = createSlots({ placesMax: LOOKS_APART_MAX, waitingMax: WATCHED_MAX });
	return async (looks) => {
		for (const { watched } of looks) await pickTokens(index, watched);
		const asked = looks.flatMap(({ watched: { subject, seen } }) => {
			return seen.tokenIds.map((tokenId) => ({ contract: subject, tokenId }));
		});
		const minBlock = Math.max(...looks.map(({ trigger }) => trigger.block?.number ?? 0));
		const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
		const apart = new Set<Address>();
		const [uris] = await Promise.all([
			index.uris(chain.id, asked, { signal: inTime, minBlock, apart }),
			dateBlocks(access, looks, inTime),
		]);
		let at = 0;
		for (const look of looks) {
			const count = look.watched.seen.tokenIds.length;
			const own = uris.slice(at, at + count);
			at += count;
			look.watched.isLooking = true;
			const isApart = apart.has(look.watched.subject.address);
			// A slow document server, or a contract that holds its drawings, delays only its own.
			void (isApart ? finishApart(deps, slots, look) : finish(deps, look, own)).finally(() => {
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

/** Reads long URIs, of a few collections at once: each holds up to eight documents. */
async function finishApart(deps: LookDeps, slots: Slots, look: Look): Promise<void> {
	const { access, index, signal } = deps;
	const { subject, seen } = look.watched;
	const asked = seen.tokenIds.map((tokenId) => ({ contract: subject, tokenId }));
	const leave = await slots.take([], signal).catch(() => null);
	if (leave === null) return;
	try {
		const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
		const minBlock = look.trigger.block?.number ?? 0;
		const uris = await index.uris(access.chain.id, asked, { signal: inTime, minBlock });
		// Documents of short URIs are a server's, which may be slow: others need not wait for it.
		const length = uris.reduce((sum, uri) => sum + (uri?.length ?? 0), 0);
		if (length < LONG_URIS_LENGTH) leave();
		await finish(deps, look, uris);
	} catch (error) {
		if (signal.aborted) return;
		deps.core.log.warn("a look at a collection failed", { contract: subject.address, error });
	} finally {
		leave();
	}
}

async function finish(deps: LookDeps, look: Look, uris: readonly (string | null)[]): Promise<void> {
	try {
		const found = await readProbes(deps, look, uris);
		await (found ? conclude(deps, look, found) : storeUnseen(deps, look));
	} catch (error) {
		if (deps.signal.aborted) return;
		const { address } = look.watched.subject;
		deps.core.log.warn("a look at a collection failed", { contract: address, error });
	}
}

/**
 * Stores, once, that a collection was looked at and nothing could be read: a refusal or silence is
 * no baseline, and owners of plans are told so. The first look that reads something replaces it.
 */
async function storeUnseen({ core, lease: hold }: LookDeps, { watched }: Look): Promise<void> {
	const { seen, subject } = watched;
	if (watched.isUnseenStored || seen.latest.length > 0 || seen.baseline.length > 0) return;
	const lease = await hold();
	if (!lease) return;
	await core.db.transaction(async (tx) => {
		await requireLease(tx, lease);
		await writeSeen(tx, subject.id, seen);
	});
	watched.isUnseenStored = true;
}

/** Judges a finding, and stores it with its consequences. */
async function conclude(deps: LookDeps, look: Look, found: Found): Promise<void> {
	const { watched } = look;
	await renewOpen(deps, watched);
	const { subject, last } = watched;
	const { prints, isUriChanged } = found;
	const nowMs = deps.core.clock.nowMs();
	const known = knownBaseline(watched, prints);
	// What was noticed last is what comes next is compared with, once it is through.
	const isOut = last?.outcome === "revealed" && watched.seen.shown !== null;
	const reference = isOut ? (watched.seen.shown ?? []) : known;
	const reading = isAlike(prints) ? "hidden" : deps.index.reading(found.shown);
	const contentDigest = contentDigestOf(prints);
	const seenChange = changeOf(reference, prints);
	// While all is read again, what was noticed may be replaced: then that is read in its place.
	const isOpen = last !== null && last.endedAt === null;
	const since = isOpen && watched.seen.shown ? changeOf(watched.seen.shown, prints) : "same";
	const doubted = since === "same" ? seenChange : "rerolled";
	const change = await certainChange(deps, look, { change: doubted, contentDigest, nowMs });
	const isReplaced = since !== "same" && change === "out";
	const isKnownOut = isOut || subject.revealState === "revealed";
	const shown = watched.seen.shown ?? (isKnownOut ? reference : prints);
	const isHidden = isHiddenAgain({ baseline: watched.seen.baseline, shown }, prints);
	// An earlier look may have seen the new URIs, and read too little to decide.
	const hasMoved = deps.signals.has("uri_hash") && haveMoved(watched.seen.shown ?? [], prints);
	watched.hiddenLooks = isHidden ? watched.hiddenLooks + 1 : 0;
	const verdict = judgeLook({
		...{ state: subject.revealState, reading, change, isHiddenAgain: isHidden, contentDigest },
		...{ isReplaced, hiddenLooks: watched.hiddenLooks, last, nowMs },
		isUriChanged: isUriChanged || (isHidden && hasMoved),
	});
	const now = seenAfter(watched.seen, { found, reading, verdict, reference, change });
	if (verdict.kind === "nothing" && isSame(now, watched.seen)) return;
	const evidence = isUriChanged ? "uri_hash" : "traits";
	// Where all was told apart before, and replaced, whatever a token shows may be new.
	const baseline = seenChange === "out" ? reference : [];
	const at = new Date(nowMs);
	const news = { verdict, now, evidence, contentDigest, baseline, at } as const;
	if (await store(deps, look, news)) watched.seen = now;
}

/**
 * Reads again how a burst ended that was open at the last check: what follows a reveal is compared
 * with that one, and no longer with what was there before it.
 */
async function renewOpen({ core, index }: LookDeps, watched: Watched): Promise<void> {
	const { subject, last } = watched;
	if (last?.endedAt !== null) return;
	const [detections, [stored]] = await Promise.all([
		readLastDetections(core.db, [subject.id]),
		index.subjects([subject.id]),
	]);
	watched.last = detections.get(subject.id) ?? null;
	if (stored) subject.revealState = stored.revealState;
}

/**
 * Returns the change as far as it is certain. Tokens that differed before, and were changed, may be
 * such as change with each block: a later block than any that was read has to show the same.
 */
async function certainChange(
	deps: LookDeps,
	{ watched, trigger }: Look,
	{ change, contentDigest, nowMs }: { change: Change; contentDigest: string; nowMs: number },
): Promise<Change> {
	const before = watched.rerolled;
	if (change !== "rerolled") {
		watched.rerolled = null;
		return change;
	}
	const block = trigger.block?.number ?? null;
	if (before?.contentDigest !== contentDigest) {
		// What was read may be of a newer block than the one that was heard of.
		const newest = block === null ? null : await newestBlock(deps, block);
		const isUnknown = block !== null && newest === null;
		watched.rerolled = isUnknown ? null : { contentDigest, block: newest, atMs: nowMs };
		return change;
	}
	const isLater =
		before.block === null || block === null
			? nowMs - before.atMs >= POLL_EVERY_MS
			: block > before.block;
	return isLater ? "out" : change;
}

/** Returns the newest block, at least the announced one; null where no node answers. */
async function newestBlock({ access, signal }: LookDeps, heard: number): Promise<number | null> {
	const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
	const asked = access.rpcFor("reveals").settle([call], { signal: inTime, minBlock: heard });
	const [answer] = await asked.catch(() => []);
	const head = answer?.kind === "result" ? parseHead(answer.result) : null;
	return head && Math.max(head.number, heard);
}

/** Returns what is known after a check. */
function seenAfter(
	seen: Seen,
	given: {
		found: Found;
		reading: RevealReading;
		change: Change;
		verdict: Verdict;
		reference: readonly Print[];
	},
): Seen {
	const { found, reading, change, verdict, reference } = given;
	const { prints, shown } = found;
	const latest = mergePrints(seen.latest, prints).map((print) => {
		const uri = found.uris.get(print.tokenId);
		return uri === undefined ? print : { ...print, uri };
	});
	const known = { ...seen, latest, reading };
	const hiddenTraits = shown[commonPlaceOf(prints)]?.traits ?? null;
	if (verdict.kind === "reveal") return { ...known, baseline: reference, shown: latest };
	const isHidden = verdict.kind === "move" && verdict.event === "looks_hidden";
	if (isHidden || verdict.kind === "withdrawn") {
		return { ...known, baseline: latest, shown: null, hiddenTraits };
	}
	// Tokens that were seen for the first time are compared from now on.
	const baseline = mergePrints(prints, seen.shown === null ? reference : seen.baseline);
	const isMore = change === "out" && seen.shown !== null;
	// What came out since is added; what is shown in place of it is another reveal.
	const kept = isMore ? outOf(baseline, seen.shown ?? []) : (seen.shown ?? []);
	const shownNow = seen.shown && mergePrints(isMore ? latest : prints, kept);
	return { ...known, baseline, shown: shownNow, ...(reading === "hidden" && { hiddenTraits }) };
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
		if (verdict.kind === "withdrawn" || (verdict.kind === "reveal" && verdict.isInPlace)) {
			await withdrawDetection(tx, subject.id, at);
			await index.endReread(tx, subject.id);
			await endPlansDue(tx, subject.id);
			await index.unrank(tx, subject.id);
		}
		if (verdict.kind === "move" || verdict.kind === "withdrawn") {
			const event = verdict.kind === "move" ? verdict.event : "looks_hidden";
			const moved = await index.move(tx, { collectionId: subject.id, event, at });
			if (!moved) return false;
			subject.revealState = moved.to;
			const phase = moved.to === "placeholder" ? "placeholder" : "revealed";
			// Plans must not buy by ranks and traits of a reveal that was taken back.
			if (moved.to === "placeholder" && moved.from === "revealed") {
				await endPlansDue(tx, subject.id);
				await index.unrank(tx, subject.id);
			}
			appendRevealFrame(core.outbox, tx, { chain, subject, phase, detection: null, at });
		}
		if (verdict.kind !== "reveal") return false;
		if ((await insertDetection(tx, detection)) === null) return false;
		// Until all is read its ranks are of another time, whatever it was called before.
		await endPlansDue(tx, subject.id);
		const moved = await index.move(tx, { collectionId: subject.id, event: "looks_hidden", at });
		if (moved) subject.revealState = moved.to;
		appendRevealFrame(core.outbox, tx, { chain, subject, phase: "detected", detection, at });
		return true;
	});
	if (!isDetected && verdict.kind !== "withdrawn") return true;
	const last = await readLastDetections(core.db, [subject.id]);
	look.watched.last = last.get(subject.id) ?? null;
	if (!isDetected) return true;
	logDetection(core, chain.slug, look, detection);
	deps.onDetected();
	return true;
}

function detectionOf(chainId: number, { watched, trigger }: Look, news: News): NewDetection {
	const { now, evidence, contentDigest, baseline, at } = news;
	const blockAtMs = trigger.block?.atMs ?? null;
	return {
		...{ collectionId: watched.subject.id, chainId, signal: trigger.signal, evidence },
		blockNumber: trigger.block?.number ?? null,
		blockAt: blockAtMs === null ? null : new Date(blockAtMs),
		heardAt: new Date(trigger.heardAtMs),
		detectedAt: at,
		// The node's clock may be ahead of ours.
		delayMs: blockAtMs === null ? null : Math.max(at.getTime() - blockAtMs, 0),
		...{ contentDigest, baseline },
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
