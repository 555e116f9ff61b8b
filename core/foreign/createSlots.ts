import { foreignFault } from "#core/foreign/faults.ts";

/** So many at once of whatever has this key. */
export type SlotShare = { key: string; max: number };

type Waiter = { shares: readonly SlotShare[]; admit: () => void };

export type Slots = {
	/** Waits for a place in all and in each share; what it answers gives the place back. */
	take(shares: readonly SlotShare[], signal: AbortSignal): Promise<() => void>;
};

/**
 * Places for work that strangers may make slow, in the order of asking: so many in all, so many
 * in each share, and only so many who wait. Who waits behind a full share lets others pass.
 */
export function createSlots(options: { placesMax: number; waitingMax: number }): Slots {
	const { placesMax, waitingMax } = options;
	const taken = new Map<string, number>();
	const waiting = new Set<Waiter>();
	let total = 0;

	const hasRoom = (shares: readonly SlotShare[]) =>
		total < placesMax && shares.every(({ key, max }) => (taken.get(key) ?? 0) < max);

	function count(shares: readonly SlotShare[], change: 1 | -1): void {
		total += change;
		for (const { key } of shares) {
			const held = (taken.get(key) ?? 0) + change;
			if (held > 0) taken.set(key, held);
			else taken.delete(key);
		}
	}

	function occupy(shares: readonly SlotShare[]): () => void {
		count(shares, 1);
		let isHeld = true;
		return () => {
			if (!isHeld) return;
			isHeld = false;
			count(shares, -1);
			admitWaiting();
		};
	}

	function admitWaiting(): void {
		for (const waiter of waiting) {
			if (total >= placesMax) return;
			if (hasRoom(waiter.shares)) waiter.admit();
		}
	}

	return {
		take(shares, signal) {
			if (signal.aborted) return Promise.reject(tooLate());
			if (hasRoom(shares)) return Promise.resolve(occupy(shares));
			if (waiting.size >= waitingMax) {
				return Promise.reject(foreignFault.unreachable({ detail: "too many fetches wait" }));
			}
			return new Promise((resolve, reject) => {
				const leave = () => {
					waiting.delete(waiter);
					signal.removeEventListener("abort", giveUp);
				};
				const giveUp = () => {
					leave();
					reject(tooLate());
				};
				const admit = () => {
					leave();
					resolve(occupy(shares));
				};
				const waiter: Waiter = { shares, admit };
				waiting.add(waiter);
				signal.addEventListener("abort", giveUp, { once: true });
			});
		},
	};
}

function tooLate() {
	return foreignFault.unreachable({ detail: "no place became free in time" });
}
