import { encodeAbiParameters, type Hex, numberToHex, padHex } from "viem";
import type { NodeLog, NodeTransaction } from "#test/conformance/provider/chain/startNode.ts";
import { coins } from "#test/conformance/provider/world/coins.ts";
import type { Random } from "#test/conformance/provider/world/createRandom.ts";
import { ZERO } from "#test/conformance/provider/world/growCollection.ts";
import { addressOf, hashOf } from "#test/conformance/provider/world/namedHex.ts";
import type { Coin } from "#test/conformance/provider/world/World.ts";
import { type LoggedItem, seaportLogs } from "#test/harness/seaportLogs.ts";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TRANSFER_SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const ACCOUNTS = 9;
const FEE_SHARE = 40n;

type Holding = { id: bigint; owner: Hex };

/** A token contract whose every act is a transaction with the logs that a real one emits. */
export type Contract = ReturnType<typeof createContract>;

export type ContractPlan = { address: Hex; standard: "erc721" | "erc1155"; random: Random };

/**
 * Makes a contract that remembers who owns what, so that each seller has what they sell. The effect
 * on figures is not computed here: the oracle reads the logs from the node.
 */
export function createContract({ address, standard, random }: ContractPlan) {
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

type Fill = { buyer: Hex; total: bigint; coin: Coin; units?: bigint };
