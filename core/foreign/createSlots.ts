import { foreignFault } from "#core/foreign/faults.ts";

type Waiter = { key: string; perKeyMax: number; admit: () => void };

export type Slots = {
	/** Waits for a place among those of `key` and of all; what it answers gives the place back. */
	take(key: string, perKeyMax: number, signal: AbortSignal): Promise<() => void>;
};

/**
 * Places for work that strangers may make slow, in the order of asking: so many in all, so many
 * for one key, and only so many who wait. Who waits behind a busy key lets others pass.
 */
export function createSlots(options: { placesMax: number; waitingMax: number }): Slots {
	const { placesMax, waitingMax } = options;
	const taken = new Map<string, number>();
	const waiting = new Set<Waiter>();
	let total = 0;

	const hasRoom = (key: string, perKeyMax: number) =>
		total < placesMax && (taken.get(key) ?? 0) < perKeyMax;

	function occupy(key: string): () => void {
		total++;
		taken.set(key, (taken.get(key) ?? 0) + 1);
		let isHeld = true;
		return () => {
			if (!isHeld) return;
			isHeld = false;
			total--;
			const left = (taken.get(key) ?? 0) - 1;
			if (left > 0) taken.set(key, left);
			else taken.delete(key);
			admitWaiting();
		};
	}

	function admitWaiting(): void {
		for (const waiter of waiting) {
			if (total >= placesMax) return;
			if (hasRoom(waiter.key, waiter.perKeyMax)) waiter.admit();
		}
	}

	return {
		take(key, perKeyMax, signal) {
			if (signal.aborted) return Promise.reject(tooLate());
			if (hasRoom(key, perKeyMax)) return Promise.resolve(occupy(key));
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
					resolve(occupy(key));
				};
				const waiter: Waiter = { key, perKeyMax, admit };
				waiting.add(waiter);
				signal.addEventListener("abort", giveUp, { once: true });
			});
		},
	};
}

function tooLate() {
	return foreignFault.unreachable({ detail: "no place became free in time" });
}
