// Watches one chain's collections for reveals.

import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { MarketIndex, RevealIndex, RevealSubject } from "#plugins/market-index/contract.ts";
import { createBursts, type OnCovered, type OnShown } from "#plugins/reveal-snipe/createBursts.ts";
import {
	joinTriggers,
	type Signal,
	signalOfLog,
	type Trigger,
} from "#plugins/reveal-snipe/detection.ts";
import {
	BLOCK_APART_MS,
	EVENT_APART_MS,
	POLL_EVERY_MS,
	REFRESH_EVERY_MS,
	WATCHED_MAX,
} from "#plugins/reveal-snipe/limits.ts";
import {
	type Detection,
	readLastDetections,
	readOpenDetections,
	readSeen,
	type Seen,
} from "#plugins/reveal-snipe/sql/detections.ts";
import { readWatched, unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { createLooks } from "#plugins/reveal-snipe/watch/createLooks.ts";
import { type Watched, watchedOf } from "#plugins/reveal-snipe/watch/judgeLook.ts";
import { listenToChain, type PushedLog } from "#plugins/reveal-snipe/watch/subscribeLogs.ts";

type Roster = {
	all(): readonly Watched[];
	has(collectionId: number): boolean;
	/** Returns the watched collection of a contract. */
	at(address: string): Watched | undefined;
	/** Replaces the watched collections; returns those that are new. */
	set(
		subjects: readonly RevealSubject[],
		known: { seen: ReadonlyMap<number, Seen>; last: ReadonlyMap<number, Detection> },
	): Watched[];
	/** Records a reason to check a collection. */
	ask(one: Watched, reason: Pick<Trigger, "signal" | "block">): void;
	/** Puts back checks that could not be made. */
	giveBack(looks: readonly { watched: Watched; trigger: Trigger }[]): void;
	/** Takes the checks that may be made now; returns them with the longest wait until the next. */
	take(waitMaxMs: number): { looks: { watched: Watched; trigger: Trigger }[]; waitMs: number };
};

export type ChainWatchDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox" | "metrics" | "leases">;
	access: ChainAccess;
	index: RevealIndex;
	signals: ReadonlySet<Signal>;
	onCovered: OnCovered;
	onShown?: OnShown;
	signal: AbortSignal;
};

export type ChainWatch = {
	/** Waits until all running work has ended. */
	ended(): Promise<void>;
};

/**
 * Watches one chain's collections for reveals, in one process at a time: by logs of their
 * contracts, by new blocks, and by a regular poll. A chain without watched collections is neither
 * subscribed to nor polled.
 */
export function watchChain(deps: ChainWatchDeps): ChainWatch {
	const { core, access, index, signals, signal } = deps;
	const { clock, db, log } = core;
	const { chain } = access;
	const lease = () => core.leases.hold(`reveal-snipe.${chain.id}`);
	let wake = Promise.withResolvers<void>();
	const onAsked = () => wake.resolve();
	const roster = createRoster({ clock, onAsked });
	const bursts = createBursts({ ...deps, lease });
	const beginOne = () => {
		// One for each detection; the tick begins the remaining ones.
		bursts.begin().catch((error) => log.warn("a burst was not begun", { error }));
	};
	const look = createLooks({ ...deps, lease, onDetected: beginOne, onLooked: onAsked });
	const ears = listenToChain({
		...{ core, access, signal },
		hearsLogs: signals.has("log") || signals.has("metadata_event"),
		onLog: (pushed) => hearLog(roster, pushed, { signals, head: ears.head() }),
		onHead(block) {
			if (!signals.has("block")) return;
			for (const one of roster.all()) roster.ask(one, { signal: "block", block });
		},
	});
	let pollAtMs = Number.NEGATIVE_INFINITY;

	/** Reads the list of watched collections, and listens to exactly these. */
	async function refresh(): Promise<void> {
		const isOurs = (await lease()) !== null;
		const open = isOurs ? await readOpenDetections(db, chain.id) : [];
		for (const one of await refreshRoster(deps, roster, isOurs)) {
			roster.ask(one, { signal: "poll", block: ears.head() });
		}
		ears.listenTo(roster.all().map(({ subject }) => subject.address));
		if (roster.all().length + open.length > 0 && clock.nowMs() >= pollAtMs) await tick();
	}

	/** Does the periodic work: checks every collection, and continues bursts. */
	async function tick(): Promise<void> {
		pollAtMs = clock.nowMs() + POLL_EVERY_MS;
		ears.probe();
		for (const one of roster.all()) {
			// Before the first look there is nothing to compare with.
			const isDue = signals.has("poll") || one.seen.reading === null;
			if (isDue) roster.ask(one, { signal: "poll", block: ears.head() });
		}
		await bursts.tick();
		const ids = roster.all().map(({ subject }) => subject.id);
		await index.checked(ids, new Date(clock.nowMs()));
	}

	async function turn(): Promise<void> {
		const { looks, waitMs } = roster.take(REFRESH_EVERY_MS);
		try {
			if (looks.length > 0) await look(looks);
		} catch (error) {
			// No node answered: the reasons for the looks stay.
			roster.giveBack(looks);
			throw error;
		}
		await Promise.race([sleep(waitMs, signal), wake.promise]);
	}

	async function run(): Promise<void> {
		let refreshAtMs = Number.NEGATIVE_INFINITY;
		while (!signal.aborted) {
			try {
				wake = Promise.withResolvers();
				if (clock.nowMs() >= refreshAtMs) {
					refreshAtMs = clock.nowMs() + REFRESH_EVERY_MS;
					await refresh();
				}
				await turn();
			} catch (error) {
				if (signal.aborted) return;
				log.warn("watching for reveals failed, and goes on", { chain: chain.slug, error });
				await sleep(REFRESH_EVERY_MS, signal);
			}
		}
	}

	const ran = run();
	return {
		async ended() {
			await ran;
			await bursts.ended();
		},
	};
}

/**
 * Keeps the watched collections of one chain, and the reason for each next check. Several reasons
 * before a check are joined to one: the strongest.
 */
export function createRoster({ clock, onAsked }: { clock: Clock; onAsked(): void }): Roster {
	const watched = new Map<number, Watched>();
	const byAddress = new Map<string, Watched>();
	return {
		all: () => [...watched.values()],
		has: (collectionId) => watched.has(collectionId),
		at: (address) => byAddress.get(address),
		set(subjects, { seen, last }) {
			const kept = new Set(subjects.map(({ id }) => id));
			for (const id of watched.keys()) if (!kept.has(id)) watched.delete(id);
			byAddress.clear();
			const fresh: Watched[] = [];
			for (const subject of subjects) {
				const one = watched.get(subject.id) ?? watchedOf(subject, seen.get(subject.id));
				if (!watched.has(subject.id)) fresh.push(one);
				one.subject = subject;
				one.last = last.get(subject.id) ?? null;
				watched.set(subject.id, one);
				byAddress.set(subject.address, one);
			}
			return fresh;
		},
		ask(one, reason) {
			const isPolled = reason.signal === "poll";
			const trigger = { ...reason, heardAtMs: clock.nowMs(), isPolled };
			one.pending = joinTriggers(one.pending, trigger);
			onAsked();
		},
		giveBack(looks) {
			for (const { watched: one, trigger } of looks) {
				one.pending = joinTriggers(one.pending, trigger);
			}
		},
		take: (waitMaxMs) => takeDue(watched.values(), { nowMs: clock.nowMs(), waitMaxMs }),
	};
}

/**
 * Watches the collections that the operator configured, as far as the index knows them, and ends
 * the operator's watch of all others.
 */
export async function watchNamed(
	{ core, find }: { core: Pick<Core, "db" | "clock" | "chains">; find: MarketIndex["find"] },
	names: readonly string[],
): Promise<void> {
	const ids: number[] = [];
	for (const name of names) {
		const [chainName = "", slug = ""] = name.split("/");
		const found = await find(slug, chainName).catch(unlessUnknown);
		const chain = found && core.chains.bySlug(found.chain);
		if (!chain) continue;
		ids.push(found.id);
		await watchCollection(core.db, {
			...{ collectionId: found.id, chainId: chain.id, reason: "operator" },
			at: new Date(core.clock.nowMs()),
		});
	}
	await unwatchOthers(core.db, "operator", ids);
}

/**
 * Records a log as a reason to check its collection. Where the signal of ERC-4906 events is off
 * they count as logs.
 */
function hearLog(
	roster: Roster,
	{ address, topic, blockNumber }: PushedLog,
	{
		signals,
		head,
	}: { signals: ReadonlySet<Signal>; head: { number: number; atMs: number | null } | null },
): void {
	const known = signalOfLog(topic);
	const signal = signals.has(known) ? known : "log";
	const one = roster.at(address);
	if (!one || !signals.has(signal)) return;
	const atMs = head?.number === blockNumber ? head.atMs : null;
	roster.ask(one, { signal, block: { number: blockNumber, atMs } });
}

/** Updates the watched collections; returns the new ones. */
async function refreshRoster(
	{ core: { db }, access, index }: ChainWatchDeps,
	roster: Roster,
	isOurs: boolean,
) {
	const limit = WATCHED_MAX;
	const ids = isOurs ? await readWatched(db, { chainId: access.chain.id, limit }) : [];
	const subjects = ids.length > 0 ? await index.subjects(ids) : [];
	const fresh = ids.filter((id) => !roster.has(id));
	const seen = fresh.length > 0 ? await readSeen(db, fresh) : new Map();
	const last = ids.length > 0 ? await readLastDetections(db, ids) : new Map();
	return roster.set(subjects, { seen, last });
}

function takeDue(
	watched: Iterable<Watched>,
	{ nowMs, waitMaxMs }: { nowMs: number; waitMaxMs: number },
): ReturnType<Roster["take"]> {
	const looks = [];
	let waitMs = waitMaxMs;
	for (const one of watched) {
		const { pending } = one;
		if (pending === null || one.isLooking) continue;
		const leftMs = one.lookedAtMs + apartMsOf(pending) - nowMs;
		if (leftMs > 0) {
			waitMs = Math.min(waitMs, leftMs);
			continue;
		}
		one.pending = null;
		one.lookedAtMs = nowMs;
		looks.push({ watched: one, trigger: pending });
	}
	return { looks, waitMs };
}

function apartMsOf({ signal }: Trigger): number {
	return signal === "log" || signal === "metadata_event" ? EVENT_APART_MS : BLOCK_APART_MS;
}

/** Returns null for a name that is not known yet. Any other failure must not end a watch. */
function unlessUnknown(error: unknown): null {
	if (error instanceof Fault && (error.status === 404 || error.status === 422)) return null;
	throw error;
}
