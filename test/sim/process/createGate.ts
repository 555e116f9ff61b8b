/**
 * What stands between one simulated process and the world: open, shut for a while (the process
 * stalls: nothing of it moves), or dead (nothing it asked is ever answered).
 */
export type Gate = {
	/** Settles when the process may go on; never when it is dead. */
	pass(): Promise<void>;
	/** Rejects when the process dies: for whatever must be taken back then. */
	readonly death: Promise<never>;
	readonly isDead: boolean;
	shut(): void;
	open(): void;
	kill(): void;
};

export class ProcessKilled extends Error {}

export function createGate(): Gate {
	let opened = Promise.withResolvers<void>();
	let isShut = false;
	let isDead = false;
	const death = Promise.withResolvers<never>();
	death.promise.catch(() => {});
	return {
		async pass() {
			while (isShut && !isDead) await opened.promise;
			if (isDead) await new Promise<never>(() => {});
		},
		death: death.promise,
		get isDead() {
			return isDead;
		},
		shut() {
			if (isShut) return;
			isShut = true;
			opened = Promise.withResolvers();
		},
		open() {
			isShut = false;
			opened.resolve();
		},
		kill() {
			isDead = true;
			opened.resolve();
			death.reject(new ProcessKilled("killed"));
		},
	};
}
