import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time/sleep.ts";
import type { RevealIndex } from "#plugins/market-index/contract.ts";
import { createBursts } from "#plugins/reveal-snipe/burst/createBursts.ts";
import type { OnCovered } from "#plugins/reveal-snipe/burst/takeStep.ts";
import { type Signal, signalOfLog } from "#plugins/reveal-snipe/detection/signals.ts";
import { POLL_EVERY_MS, REFRESH_EVERY_MS, WATCHED_MAX } from "#plugins/reveal-snipe/limits.ts";
import { readLastDetections, readOpenDetections } from "#plugins/reveal-snipe/sql/detections.ts";
import { readSeen } from "#plugins/reveal-snipe/sql/seen.ts";
import { readWatched } from "#plugins/reveal-snipe/sql/watch.ts";
import { createLooks } from "#plugins/reveal-snipe/watch/createLooks.ts";
import { createRoster, type Roster } from "#plugins/reveal-snipe/watch/createRoster.ts";
import { listenToChain } from "#plugins/reveal-snipe/watch/listenToChain.ts";
import type { PushedLog } from "#plugins/reveal-snipe/watch/subscribeLogs.ts";

export type ChainWatchDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox" | "metrics" | "leases">;
	access: ChainAccess;
	index: RevealIndex;
	signals: ReadonlySet<Signal>;
	onCovered: readonly OnCovered[];
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

	/** Does the periodic work: looks at every collection, and continues bursts. */
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
 * Records a log as a reason to look. Where the signal of ERC-4906 events is off they count as logs.
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
