import type { NodeTransaction, PastBlock } from "#test/conformance/provider/chain/startNode.ts";
import { coins } from "#test/conformance/provider/world/coins.ts";
import type { Random } from "#test/conformance/provider/world/createRandom.ts";
import { placeOf } from "#test/conformance/provider/world/growCollection.ts";
import type { Coin } from "#test/conformance/provider/world/World.ts";
import { type Contract, createContract } from "#test/e2e/oracle/world/createContract.ts";

/** Contracts of the chain; those whose names begin with `shared` are the provider's as well. */
export const NAMES = ["shared-whole", "shared-stuck", "lone-cats", "lone-editions", "lone-old"];

export type Chain = {
	past: PastBlock[];
	contracts: Map<string, Contract>;
	/**
	 * Returns the transactions of one block: sales, mints, burns and gifts of the named contracts.
	 */
	act(names: readonly string[], times: number): NodeTransaction[];
};

const HOUR_S = 3_600;
/** Times of the past blocks in hours ago, each moved by a drawn amount. */
const PAST_HOURS = [
	39, 35, 31, 27, 25.4, 22, 19, 16, 13, 11, 9.5, 7.2, 5.4, 4, 3, 2, 1.4, 0.7, 0.3,
];
const OLD_UNTIL_HOURS = 26;
const MOVED_S = 1_200;
const PACE_S = 60;
/** The node's own blocks follow. */
const LAST_AGO_S = 200;
const MILLI = 10n ** 15n;

/** Makes a chain's history from before it was read, from a seed. */
export function makeChain(random: Random, nowMs: number): Chain {
	const contracts = new Map(
		NAMES.map((name) => {
			const standard = name === "lone-editions" ? "erc1155" : "erc721";
			const { address } = placeOf(name, "base", standard);
			return [name, createContract({ address, standard, random })] as const;
		}),
	);
	const act = (names: readonly string[], times: number) => {
		return names.flatMap((name) => {
			const contract = contracts.get(name);
			if (!contract) throw new Error(`there is no contract ${name}`);
			return Array.from({ length: times }, () => drawAct(contract, name, random));
		});
	};
	const nowS = Math.floor(nowMs / 1_000);
	const past = PAST_HOURS.map((hours, at): PastBlock => {
		const atS = nowS - Math.floor(hours * HOUR_S) - (hours > 1 ? random.below(MOVED_S) : 0);
		const busy = NAMES.filter((name) => name !== "lone-old" || hours > OLD_UNTIL_HOURS);
		const first = at === 0 ? busy.flatMap((name) => firstActs(contracts, name, random)) : [];
		return { atS, transactions: [...first, ...act(busy, 1 + random.below(2))] };
	});
	return { past: withEmptyBlocks(past, nowS), contracts, act };
}

/**
 * Adds empty blocks between the busy ones, so that there is a block each minute. The index
 * estimates the block of a provider's event by the pace of blocks: an even pace makes it exact.
 */
function withEmptyBlocks(busy: readonly PastBlock[], nowS: number): PastBlock[] {
	const last = nowS - LAST_AGO_S;
	return busy.flatMap((block, at) => {
		const next = busy[at + 1]?.atS ?? last;
		const empty = Math.max(0, Math.floor((next - block.atS) / PACE_S) - 1);
		const atS = (step: number) => block.atS + step * PACE_S;
		return [
			block,
			...Array.from({ length: empty }, (_, step) => ({ atS: atS(step + 1), transactions: [] })),
		];
	});
}

/** Returns enough mints for all later acts, and one act of each kind. */
function firstActs(contracts: Chain["contracts"], name: string, random: Random) {
	const contract = contracts.get(name);
	if (!contract) return [];
	const paid = BigInt(7 + random.below(90)) * MILLI + 5n;
	return [contract.mint(9, paid, unitsOf(name)), contract.mint(4, 0n, unitsOf(name))];
}

function drawAct(contract: Contract, name: string, random: Random): NodeTransaction {
	const price = BigInt(50 + random.below(900)) * MILLI + 7n;
	const units = unitsOf(name);
	const draws: (() => NodeTransaction)[] = [
		() => contract.sell(price, coins.eth, { units }),
		() => contract.sell(price, coins.eth, { units }),
		() => contract.sell(price, coins.wethOnBase, { units }),
		() => contract.sell(usdc(price), coins.usdcOnBase, { units }),
		() => contract.sell(price, coins.eth, { units, count: 3 }),
		() => contract.sell(price, coins.eth, { units, toSelf: true }),
		() => contract.sell(0n, coins.eth, { units }),
		() => contract.mint(2, 3n * MILLI + 1n, units),
		() => contract.mint(1, 0n, units),
		() => contract.give(units),
		() => contract.burn(units),
	];
	return random.pick(draws)();
}

const unitsOf = (name: string) => (name === "lone-editions" ? 3n : 1n);
const usdc = (price: bigint) => price / 10n ** BigInt(18 - (coins.usdcOnBase as Coin).decimals);
