import { bundleKillable, type KillableBundle } from "#test/e2e/kills/bundleKillable.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";

export type KillWorld = {
	anvil: Anvil;
	seaport: SeaportChain;
	bundle: KillableBundle;
	/** While somebody holds it nothing is mined, unless somebody else needs it. */
	holdMining(): () => void;
	/** The same, and whoever needs it waits. */
	holdMiningAlone(): Promise<() => void>;
	/** Waits until a block is mined; not before everybody who holds mining lets go. */
	nextBlock(): Promise<void>;
	whileMining<Result>(act: () => Promise<Result>): Promise<Result>;
	stop(): Promise<void>;
};

const BLOCK_EVERY_MS = 60;

/** What all lanes share: a chain with the marketplace on it, and a block every few milliseconds. */
export async function openKillWorld(): Promise<KillWorld> {
	const [anvil, bundle] = await Promise.all([startAnvil(), bundleKillable()]);
	const seaport = await deploySeaport(anvil);
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
		anvil,
		seaport,
		bundle,
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

/** One after the other: whoever takes a turn has it until they leave. */
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
