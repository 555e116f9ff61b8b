import { bundleKillable, type KillableBundle } from "#test/e2e/kills/bundleKillable.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";

/** A chain with a block every few milliseconds, and the service that is killed. */
export type KillChain = {
	anvil: Anvil;
	bundle: KillableBundle;
	/** Stops mining until the returned function is called, unless another lane needs a block. */
	holdMining(): () => void;
	/** Stops mining too, and other lanes that need a block wait. */
	holdMiningAlone(): Promise<() => void>;
	/** Waits until a block is mined; not before all holds are released. */
	nextBlock(): Promise<void>;
	whileMining<Result>(act: () => Promise<Result>): Promise<Result>;
	stop(): Promise<void>;
};

/** Shared by all lanes of buys and transfers: a chain with the marketplace on it. */
export type KillWorld = KillChain & { seaport: SeaportChain };

const BLOCK_EVERY_MS = 60;

export async function openKillWorld(): Promise<KillWorld> {
	const [anvil, bundle] = await Promise.all([startAnvil(), bundleKillable()]);
	const seaport = await deploySeaport(anvil);
	return { ...(await openKillChain({ anvil, bundle })), seaport };
}

/** Makes the chain mine at an interval from now on. */
export async function openKillChain(
	parts: Pick<KillChain, "anvil" | "bundle">,
): Promise<KillChain> {
	const { anvil, bundle } = parts;
	await anvil.rpc("evm_setAutomine", [false]);
	const holders = new Set<symbol>();
	const takeTurn = createTurns();
	const hold = () => {
		const holder = Symbol();
		holders.add(holder);
		return () => void holders.delete(holder);
	};
	let needed = 0;
	let mining: Promise<unknown> | null = null;
	const waiting: (() => void)[] = [];
	const timer = setInterval(() => {
		if (mining || (holders.size > 0 && needed === 0)) return;
		mining = anvil
			.rpc("evm_mine")
			.then(() => {
				for (const resolve of waiting.splice(0)) resolve();
			})
			.catch(() => {})
			.finally(() => {
				mining = null;
			});
	}, BLOCK_EVERY_MS);
	return {
		...{ anvil, bundle },
		holdMining: hold,
		nextBlock: () => new Promise<void>((resolve) => void waiting.push(resolve)),
		async holdMiningAlone() {
			const leave = await takeTurn();
			const release = hold();
			return () => {
				release();
				leave();
			};
		},
		async whileMining(act) {
			const leave = await takeTurn();
			needed++;
			return act().finally(() => {
				needed--;
				leave();
			});
		},
		async stop() {
			clearInterval(timer);
			await anvil.stop();
			await bundle.remove();
		},
	};
}

/** Makes a queue of turns: a turn lasts until its function is called. */
function createTurns(): () => Promise<() => void> {
	let last = Promise.resolve();
	return async () => {
		const before = last;
		const own = Promise.withResolvers<void>();
		last = own.promise;
		await before;
		return own.resolve;
	};
}
