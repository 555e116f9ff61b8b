import type { Clock } from "#core/clock/Clock.ts";
import type { RevealSubject } from "#plugins/market-index/contract.ts";
import { joinTriggers, type Trigger } from "#plugins/reveal-snipe/detection/signals.ts";
import { BLOCK_APART_MS, EVENT_APART_MS } from "#plugins/reveal-snipe/limits.ts";
import type { Detection } from "#plugins/reveal-snipe/sql/detections.ts";
import type { Seen } from "#plugins/reveal-snipe/sql/seen.ts";
import { type Watched, watchedOf } from "#plugins/reveal-snipe/watch/Watched.ts";

export type Roster = {
	all(): readonly Watched[];
	has(collectionId: number): boolean;
	/** Returns the watched collection of a contract. */
	at(address: string): Watched | undefined;
	/** Replaces the watched collections; returns those that are new. */
	set(
		subjects: readonly RevealSubject[],
		known: { seen: ReadonlyMap<number, Seen>; last: ReadonlyMap<number, Detection> },
	): Watched[];
	/** Records a reason to look at a collection. */
	ask(one: Watched, reason: Pick<Trigger, "signal" | "block">): void;
	/** Puts back looks that could not be made. */
	giveBack(looks: readonly { watched: Watched; trigger: Trigger }[]): void;
	/** Takes the looks that may be made now; returns them with the longest wait until the next. */
	take(waitMaxMs: number): { looks: { watched: Watched; trigger: Trigger }[]; waitMs: number };
};

/**
 * Keeps the watched collections of one chain, and the reason for each next look. Several reasons
 * before a look are joined to one: the strongest.
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
