import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { Lease } from "#core/lease/leases.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time/sleep.ts";
import type { RevealIndex } from "#plugins/market-index/contract.ts";
import { createBursts, type OnCovered } from "#plugins/reveal-snipe/burst/createBursts.ts";
import {
	BLOCK_APART_MS,
	EVENT_APART_MS,
	HEAD_POLL_BESIDE_SOCKET_MS,
	HEAD_POLL_MS,
	POLL_EVERY_MS,
	REFRESH_EVERY_MS,
	WATCHED_MAX,
} from "#plugins/reveal-snipe/limits.ts";
import { readLastDetections, readOpenDetections } from "#plugins/reveal-snipe/sql/detections.ts";
import { readSeen } from "#plugins/reveal-snipe/sql/seen.ts";
import { readWatched } from "#plugins/reveal-snipe/sql/watch.ts";
import { createLooks } from "#plugins/reveal-snipe/watch/createLooks.ts";
import {
	joinTriggers,
	type Signal,
	signalOfLog,
	type Trigger,
} from "#plugins/reveal-snipe/watch/signals.ts";
import { subscribeLogs } from "#plugins/reveal-snipe/watch/subscribeLogs.ts";
import { type Watched, watchedOf } from "#plugins/reveal-snipe/watch/Watched.ts";

export type ChainWatchDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox" | "metrics" | "leases">;
	access: ChainAccess;
	index: RevealIndex;
	signals: ReadonlySet<Signal>;
	onCovered: readonly OnCovered[];
	signal: AbortSignal;
	pollEveryMs?: number;
};

export type ChainWatch = {
	/** Looks up now which collections are watched: somebody changed that. */
	refresh(): Promise<void>;
	/** Waits until all that was under way has ended. */
	ended(): Promise<void>;
};

/**
 * Watches one chain's collections for reveals, in one process of all: logs of their contracts and
 * new blocks as they come, and all of them by the clock. A chain on which nothing is watched is
 * neither subscribed to nor polled.
 */
export function watchChain(deps: ChainWatchDeps): ChainWatch {
	const { core, access, signals, signal } = deps;
	const { clock, log } = core;
	const { chain } = access;
	const name = `reveal-snipe.${chain.id}`;
	const lease = (): Promise<Lease | null> => core.leases.hold(name);
	const watched = new Map<number, Watched>();
	const byAddress = new Map<string, Watched>();
	let head: Trigger["block"] = null;
	let listening: AbortController | null = null;
	let pollAtMs = Number.NEGATIVE_INFINITY;
	let wake = Promise.withResolvers<void>();

	const bursts = createBursts({ ...deps, lease });
	const look = createLooks({
		...deps,
		lease,
		onDetected: () => void beginOne(),
		onLooked: () => wake.resolve(),
	});
	const logs = subscribeLogs({
		chainId: chain.id,
		urls: signals.has("log") || signals.has("metadata_event") ? access.headUrls : [],
		log: log.with({ chain: chain.slug }),
		onSocketCall: access.onSocketCall,
		signal,
		onLog({ address, topic, blockNumber }) {
			const known = signalOfLog(topic);
			// Where its own signal is off it is a log like any other.
			const heard = signals.has(known) ? known : "log";
			const one = byAddress.get(address);
			if (!one || !signals.has(heard)) return;
			const atMs = head?.number === blockNumber ? head.atMs : null;
			ask(one, heard, { number: blockNumber, atMs });
		},
	});

	function ask(one: Watched, signal: Trigger["signal"], block: Trigger["block"]): void {
		one.pending = joinTriggers(one.pending, { signal, block, heardAtMs: clock.nowMs() });
		wake.resolve();
	}

	/** A turn of its own for each detection: one that is left over is begun by the clock. */
	async function beginOne(): Promise<void> {
		try {
			await bursts.begin();
		} catch (error) {
			if (!signal.aborted) log.warn("a burst was not begun", { error });
		}
	}

	function listen(): void {
		if (listening) return;
		listening = new AbortController();
		const ending = AbortSignal.any([listening.signal, signal]);
		watchHeads({
			chain,
			rpc: access.rpcFor("heads"),
			headUrls: access.headUrls,
			pollMs: access.headUrls.length > 0 ? HEAD_POLL_BESIDE_SOCKET_MS : HEAD_POLL_MS,
			clock,
			log: log.with({ chain: chain.slug, for: "reveals" }),
			onSocketCall: access.onSocketCall,
			signal: ending,
			onHead({ number, timestampMs }) {
				if (head?.number === number) return;
				head = { number, atMs: timestampMs };
				for (const one of watched.values()) {
					// A log of this very block may have come before it.
					const { pending } = one;
					if (pending?.block?.number === number) pending.block.atMs ??= timestampMs;
					if (signals.has("block")) ask(one, "block", head);
				}
			},
		});
	}

	function unlisten(): void {
		listening?.abort();
		listening = null;
		logs.resync([]);
	}

	async function refresh(): Promise<void> {
		const held = await lease();
		const ids = held ? await readWatched(core.db, { chainId: chain.id, limit: WATCHED_MAX }) : [];
		await setWatched(ids);
		const open = held ? await readOpenDetections(core.db, chain.id) : [];
		if (watched.size === 0) unlisten();
		else {
			listen();
			logs.resync([...watched.values()].map(({ subject }) => subject.address));
		}
		if (watched.size + open.length > 0 && clock.nowMs() >= pollAtMs) await tick();
	}

	async function setWatched(ids: readonly number[]): Promise<void> {
		const subjects = ids.length > 0 ? await deps.index.subjects(ids) : [];
		const fresh = subjects.filter(({ id }) => !watched.has(id)).map(({ id }) => id);
		const [seen, last] = await Promise.all([
			fresh.length > 0 ? readSeen(core.db, fresh) : null,
			readLastDetections(
				core.db,
				subjects.map(({ id }) => id),
			),
		]);
		const kept = new Set(subjects.map(({ id }) => id));
		for (const id of watched.keys()) if (!kept.has(id)) watched.delete(id);
		byAddress.clear();
		for (const subject of subjects) {
			const one = watched.get(subject.id) ?? watchedOf(subject, seen?.get(subject.id));
			if (!watched.has(subject.id)) ask(one, "poll", head);
			one.subject = subject;
			one.last = last.get(subject.id) ?? null;
			watched.set(subject.id, one);
			byAddress.set(subject.address, one);
		}
	}

	/** What the clock does: every collection is looked at, and what runs is seen to. */
	async function tick(): Promise<void> {
		pollAtMs = clock.nowMs() + (deps.pollEveryMs ?? POLL_EVERY_MS);
		logs.probe();
		for (const one of watched.values()) {
			// Until it was seen once there is nothing that could change.
			if (signals.has("poll") || one.seen.reading === null) ask(one, "poll", head);
		}
		await bursts.tick();
		await deps.index.checked([...watched.keys()], new Date(clock.nowMs()));
	}

	/** Looks at what is asked for and may be looked at again; answers how long the rest waits. */
	async function turn(): Promise<number> {
		const nowMs = clock.nowMs();
		let waitMs = REFRESH_EVERY_MS;
		const looks = [];
		for (const one of watched.values()) {
			const { pending, lookedAtMs } = one;
			if (pending === null || one.isLooking) continue;
			const isEvent = pending.signal === "log" || pending.signal === "metadata_event";
			const apartMs = isEvent ? EVENT_APART_MS : BLOCK_APART_MS;
			const leftMs = lookedAtMs + apartMs - nowMs;
			if (leftMs > 0) {
				waitMs = Math.min(waitMs, leftMs);
				continue;
			}
			one.pending = null;
			one.lookedAtMs = nowMs;
			looks.push({ watched: one, trigger: pending });
		}
		try {
			if (looks.length > 0) await look(looks);
		} catch (error) {
			// No node answered: what asked for the look still asks.
			for (const { watched: one, trigger } of looks) {
				one.pending = joinTriggers(one.pending, trigger);
			}
			throw error;
		}
		return waitMs;
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
				const waitMs = await turn();
				await Promise.race([sleep(waitMs, signal), wake.promise]);
			} catch (error) {
				if (signal.aborted) return;
				log.warn("watching for reveals failed, and goes on", { chain: chain.slug, error });
				await sleep(REFRESH_EVERY_MS, signal);
			}
		}
	}

	const ran = run();
	return {
		refresh,
		async ended() {
			await ran;
			unlisten();
			await bursts.ended();
		},
	};
}
