// Makes a chain's history from a seed.

import { encodeAbiParameters, type Hex, numberToHex, padHex } from "viem";
import type {
	NodeLog,
	NodeTransaction,
	PastBlock,
} from "#test/conformance/provider/chain/startNode.ts";
import { placeOf, ZERO } from "#test/conformance/provider/world/growCollection.ts";
import {
	addressOf,
	type Coin,
	coins,
	hashOf,
	type Random,
} from "#test/conformance/provider/world/World.ts";
import { type LoggedItem, seaportLogs } from "#test/harness/seaportOrder.ts";

/** A token contract whose every act is a transaction with the logs that a real one emits. */
export type Contract = ReturnType<typeof createContract>;

export type ContractPlan = { address: Hex; standard: "erc721" | "erc1155"; random: Random };

export type Chain = {
	past: PastBlock[];
	contracts: Map<string, Contract>;
	/**
	 * Returns the transactions of one block: sales, mints, burns and gifts of the named contracts.
	 */
	act(names: readonly string[], times: number): NodeTransaction[];
};

type Holding = { id: bigint; owner: Hex };

type Fill = { buyer: Hex; total: bigint; coin: Coin; units?: bigint };

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TRANSFER_SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const ACCOUNTS = 9;
const FEE_SHARE = 40n;

/** Contracts of the chain; those whose names begin with `shared` are the provider's as well. */
export const NAMES = ["shared-whole", "shared-stuck", "lone-cats", "lone-editions", "lone-old"];

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

const unitsOf = (name: string) => (name === "lone-editions" ? 3n : 1n);
const usdc = (price: bigint) => price / 10n ** BigInt(18 - (coins.usdcOnBase as Coin).decimals);

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
 * Makes a contract that remembers who owns what, so that each seller has what they sell. The effect
 * on figures is not computed here: the oracle reads the logs from the node.
 */
function createContract({ address, standard, random }: ContractPlan) {
	const held: Holding[] = [];
	let nextId = 1n;
	let orders = 0;
	const account = () => addressOf(`account ${random.below(ACCOUNTS)}`);
	const otherThan = (owner: Hex) => {
		const other = account();
		return other === owner ? addressOf(`neighbour of ${owner}`) : other;
	};
	const take = () => held.splice(random.below(held.length), 1)[0];

	function transferLog(from: Hex, to: Hex, { id, units = 1n }: { id: bigint; units?: bigint }) {
		const topic = (account: Hex) => padHex(account, { size: 32 });
		if (standard === "erc721") {
			const topics = [TRANSFER as Hex, topic(from), topic(to), numberToHex(id, { size: 32 })];
			return { address, topics, data: "0x" as Hex };
		}
		const uint = { type: "uint256" } as const;
		const topics = [TRANSFER_SINGLE as Hex, topic(from), topic(from), topic(to)];
		return { address, topics, data: encodeAbiParameters([uint, uint], [id, units]) };
	}

	function fill(goods: readonly Holding[], { buyer, total, coin, units = 1n }: Fill): NodeLog[] {
		const [{ owner } = { owner: ZERO as Hex }] = goods;
		const itemType = coin.address === coins.eth.address ? 0 : 1;
		const fee = total / FEE_SHARE;
		const money = (amount: bigint, recipient: Hex) => {
			return { itemType, token: coin.address, identifier: 0n, amount, recipient };
		};
		const offer: LoggedItem[] = goods.map(({ id }) => {
			const nft = standard === "erc721" ? 2 : 3;
			return { itemType: nft, token: address, identifier: id, amount: units };
		});
		const filled = seaportLogs.fulfilled({
			orderHash: hashOf(`order ${address} ${orders++}`),
			offerer: owner,
			zone: ZERO,
			recipient: buyer,
			offer,
			consideration: [money(total - fee, owner), money(fee, addressOf("venue"))],
		});
		const moves = goods.map(({ id }) => transferLog(owner, buyer, { id, units }));
		return [...moves, { address: filled.address, topics: filled.topics, data: filled.data }];
	}

	return {
		address,
		/** Mints so many tokens to one account, which pays `value` for all of them. */
		mint(count: number, value: bigint, units = 1n): NodeTransaction {
			const owner = account();
			const minted = Array.from({ length: count }, () => ({ id: nextId++, owner }));
			held.push(...minted);
			return { value, logs: minted.map(({ id }) => transferLog(ZERO, owner, { id, units })) };
		},
		/** Sells so many tokens of one owner in one order. */
		sell(total: bigint, coin: Coin, { count = 1, units = 1n, toSelf = false } = {}) {
			const first = take();
			if (!first) throw new Error(`${address} has nothing to sell`);
			const { owner } = first;
			const goods = [first];
			while (goods.length < count) {
				const at = held.findIndex((one) => one.owner === owner);
				if (at === -1) break;
				goods.push(...held.splice(at, 1));
			}
			const buyer = toSelf ? owner : otherThan(owner);
			const logs = fill(goods, { buyer, total, coin, units });
			held.push(...goods.map(({ id }) => ({ id, owner: buyer })));
			const value = coin.address === coins.eth.address ? total : 0n;
			return { value, logs } satisfies NodeTransaction;
		},
		burn(units = 1n): NodeTransaction {
			const gone = take();
			if (!gone) throw new Error(`${address} has nothing to burn`);
			return { logs: [transferLog(gone.owner, ZERO, { ...gone, units })] };
		},
		give(units = 1n): NodeTransaction {
			const given = take();
			if (!given) throw new Error(`${address} has nothing to give`);
			const to = otherThan(given.owner);
			held.push({ id: given.id, owner: to });
			return { logs: [transferLog(given.owner, to, { ...given, units })] };
		},
	};
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

/** Returns enough mints for all later acts, and one act of each kind. */
function firstActs(contracts: Chain["contracts"], name: string, random: Random) {
	const contract = contracts.get(name);
	if (!contract) return [];
	const paid = BigInt(7 + random.below(90)) * MILLI + 5n;
	return [contract.mint(9, paid, unitsOf(name)), contract.mint(4, 0n, unitsOf(name))];
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
