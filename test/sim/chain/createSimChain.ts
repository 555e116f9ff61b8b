// Makes a chain in memory that forks on demand.

import { hexToBytes, keccak256, toHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { FakeLog } from "#test/harness/fakeChain.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import { type Deal, planDeals } from "#test/sim/chain/deals.ts";

/** A transaction keeps its hash when another block includes it. */
export type SimTransaction = Deal & { hash: Hex };

export type SimBlock = {
	number: number;
	hash: Hex;
	parentHash: Hex;
	timestampS: number;
	/** A real one: whoever checks logs against it must find every log in it. */
	logsBloom: Hex;
	transactions: readonly SimTransaction[];
};

/** One line of blocks from genesis. Only its end grows; a fork is another branch. */
export type Branch = { blocks: SimBlock[]; homes: Map<Hex, SimBlock> };

export type SimChain = ReturnType<typeof createSimChain>;

const BLOOM_BYTES = 256;
/** The same few contracts and accounts come again and again; keccak is what costs. */
const bitsOf = new Map<Hex, readonly number[]>();

const GENESIS_S = Date.UTC(2024, 4, 20) / 1_000;
const NO_BLOCK: Hex = `0x${"0".repeat(64)}`;

/**
 * A chain in memory that forks on demand: longer and shorter forks, the same transactions again in
 * other blocks, a flip back to the branch that was left, a head that goes back. `name` makes its
 * hashes its own; everything else follows from the random source.
 */
export function createSimChain(
	prng: Prng,
	{ name, depthMax = Number.POSITIVE_INFINITY }: { name: string; depthMax?: number },
) {
	let branch: Branch = { blocks: [], homes: new Map() };
	let left: Branch | null = null;
	let serialNumber = 0;
	let headMax = 0;
	const byHash = new Map<Hex, SimBlock>();
	const serial = () => ++serialNumber;
	append({ transactions: [], gapS: 0 });

	function hashOf(what: string): Hex {
		return `0x${new Bun.CryptoHasher("sha256").update(`${name} ${what}`).digest("hex")}`;
	}

	function transactionOf(deal: Deal): SimTransaction {
		return { ...deal, hash: hashOf(`transaction ${serial()}`) };
	}

	function append(made: { transactions: readonly SimTransaction[]; gapS: number }) {
		const parent = branch.blocks.at(-1);
		const block: SimBlock = {
			number: branch.blocks.length,
			hash: hashOf(`block ${serial()}`),
			parentHash: parent?.hash ?? NO_BLOCK,
			timestampS: (parent?.timestampS ?? GENESIS_S) + made.gapS,
			logsBloom: bloomOf(made.transactions.flatMap(({ logs }) => logs)),
			transactions: made.transactions,
		};
		branch.blocks.push(block);
		byHash.set(block.hash, block);
		for (const { hash } of made.transactions) branch.homes.set(hash, block);
		headMax = Math.max(headMax, block.number);
	}

	/** Minutes and hours between blocks, so that events fall into several buckets of each tier. */
	function gap(): number {
		if (prng.chance(0.1)) return 1_200 + prng.int(9_000);
		return prng.chance(0.1) ? 0 : 1 + prng.int(75);
	}

	function mine(options: { empty?: boolean } = {}) {
		const deals = options.empty ? [] : planDeals(prng, serial);
		append({ transactions: deals.map(transactionOf), gapS: options.empty ? 2 : gap() });
	}

	/**
	 * The newest blocks are left behind, and may be flipped back to. None leaves that is more than
	 * `depthMax` below the highest there ever was: forks of forks would add up to more.
	 */
	function cut(depth: number): SimBlock[] {
		const base = Math.max(0, branch.blocks.length - 1 - depth, headMax - depthMax);
		const gone = branch.blocks.slice(base + 1);
		left = branch;
		const blocks = branch.blocks.slice(0, base + 1);
		const homes = new Map(
			blocks.flatMap((block) => {
				return block.transactions.map(({ hash }) => [hash, block] as const);
			}),
		);
		branch = { blocks, homes };
		return gone;
	}

	/**
	 * Replaces the newest `depth` blocks by `length` others. Most of the transactions come back, in
	 * other blocks and another order; with `sameTimes` the blocks keep their times, so that an event
	 * may come back with the same number, time and place, and another hash.
	 */
	function reorg(options: { depth: number; length: number; sameTimes: boolean }) {
		const gone = cut(options.depth);
		const waiting = gone.flatMap(({ transactions }) => transactions).filter(() => prng.chance(0.8));
		for (let made = 0; made < options.length; made++) {
			const before = gone[made];
			const share = options.length - made;
			const taken = waiting.splice(0, Math.ceil(waiting.length / share));
			if (prng.chance(0.3)) taken.reverse();
			if (prng.chance(0.4)) taken.push(...planDeals(prng, serial).map(transactionOf));
			const parentS = branch.blocks.at(-1)?.timestampS ?? GENESIS_S;
			const kept = options.sameTimes && before ? before.timestampS - parentS : -1;
			append({ transactions: taken, gapS: kept >= 0 ? kept : gap() });
		}
	}

	return {
		mine,
		reorg,
		/** Back to the branch that was left last, one block further; false where there is none. */
		flip(): boolean {
			if (!left) return false;
			const back = left;
			const forksAt = back.blocks.findIndex(({ hash }, at) => branch.blocks[at]?.hash !== hash);
			const base = (forksAt < 0 ? back.blocks.length : forksAt) - 1;
			if (base < headMax - depthMax) return false;
			left = branch;
			branch = { blocks: [...back.blocks], homes: new Map(back.homes) };
			mine();
			return true;
		},
		/** The head goes back, and nothing says so. */
		rollback(depth: number) {
			cut(depth);
		},
		branch: (): Branch => branch,
		head: (): number => branch.blocks.length - 1,
		/** The highest number that any block ever had. */
		headMax: (): number => headMax,
		/** Also those that left the chain. */
		blockOf: (hash: Hex): SimBlock | undefined => byHash.get(hash),
	};
}

/** The header's filter over addresses and topics of a block's logs (yellow paper, 4.3.1). */
export function bloomOf(logs: readonly FakeLog[]): Hex {
	const bloom = new Uint8Array(BLOOM_BYTES);
	for (const { address, topics } of logs) {
		for (const entry of [address, ...topics]) {
			for (const bit of bits(entry)) {
				const at = BLOOM_BYTES - 1 - (bit >> 3);
				bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
			}
		}
	}
	return toHex(bloom);
}

function bits(entry: Hex): readonly number[] {
	const known = bitsOf.get(entry);
	if (known) return known;
	const hash = hexToBytes(keccak256(entry));
	const made = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff);
	bitsOf.set(entry, made);
	return made;
}
