// Opens a seeded world with a chain, a provider and the service.

import { decodeEventLog, type Hex, parseAbi } from "viem";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";
import { createRandom } from "#test/conformance/provider/world/World.ts";
import type { Deed, Move } from "#test/e2e/oracle/model.ts";
import { fillWorld } from "#test/e2e/oracle/world/fillWorld.ts";
import { type Chain, makeChain } from "#test/e2e/oracle/world/makeChain.ts";
import { type Feeds, makeFeeds } from "#test/e2e/oracle/world/makeFeeds.ts";

export type OracleLab = {
	seed: number;
	lab: ConformanceLab;
	chain: Chain;
	feeds: Feeds;
	/** The first block that the lanes are to read, and its time. */
	firstRead: { block: number; atMs: number };
	/** Events that were pushed of a slug, in the words of the events' list. */
	pushed(slug: string | null): any[];
};

type Log = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex };
type Transaction = { hash: Hex; value: Hex };
type Block = { number: Hex; timestamp: Hex; transactions: Transaction[] };
type Item = { itemType: number; token: Hex; identifier: bigint; amount: bigint };
type Order = { offerer: Hex; offer: readonly Item[]; consideration: readonly Item[] };

type Placeless = Omit<Deed, "transactionHash" | "block" | "atMs">;

// Reads a chain in the slow and simple way, sharing no code with the service: viem's decoder for
// every log, receipts for who got what, and plain arithmetic over plain lists.

const abi = parseAbi([
	"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)",
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
]);
const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";
const ZERO = "0x0000000000000000000000000000000000000000";

const isNft = ({ itemType }: Item) => itemType >= 2;
const isMoney = ({ itemType, amount }: Item) => itemType < 2 && amount > 0n;
const pays = (items: readonly Item[]) => items.some(isMoney);
const sum = (items: readonly Item[]) => items.reduce((all, { amount }) => all + amount, 0n);
const holds = (items: readonly Item[], { contract, tokenId }: Move) =>
	items.some((item) => {
		return isNft(item) && item.token.toLowerCase() === contract && item.identifier === tokenId;
	});

/** The first block of the node's chain. */
export const FIRST_BLOCK = 20_000_000;

/** How long ago the lanes begin, in hours; 0 is at the head. */
const READ_HOURS = [40, 9.8, 0] as const;
const HOUR_MS = 3_600_000;

/** Says whether the service walks contracts for their owners. */
export const areWalked = (seed: number) => seed % 2 === 0;

const REFUSED = [
	/stats-refused\/stats/,
	/listings\/collection\/book-refused/,
	/never-synced/,
	// Only the first page of events is answered.
	/(pages|shared)-stuck.*next=/,
];

/**
 * Opens a seeded world with a chain and a provider; the seed decides what the service reads of
 * them.
 */
export async function openOracleLab(seed: number): Promise<OracleLab> {
	const random = createRandom(seed);
	let chain: Chain | undefined;
	let feeds: Feeds | undefined;
	const readHours = READ_HOURS[seed % READ_HOURS.length] ?? 0;
	let from = { block: 0, atMs: 0 };
	const lab = await openConformanceLab({
		live: ["base"],
		chains: "base,ethereum,apechain",
		world: { seed, only: [] },
		contracts(_, nowMs) {
			feeds = makeFeeds(seed, nowMs);
			return feeds.contracts;
		},
		past(_, nowMs) {
			chain = makeChain(random, nowMs);
			const { past } = chain;
			const at = past.findIndex(({ atS }) => atS * 1_000 >= nowMs - readHours * HOUR_MS);
			from = { block: FIRST_BLOCK + at, atMs: (past[at]?.atS ?? 0) * 1_000 };
			return past;
		},
		env: () => ({
			USD_FEEDS_JSON: feeds?.config ?? "{}",
			NFT_OWNERSHIP_WALKS_MAX: areWalked(seed) ? "50" : "0",
			...(readHours > 0 && { NFT_SCAN_FROM_BLOCK: String(from.block) }),
		}),
	});
	if (!chain || !feeds) throw new Error("the chain was not made");
	const { url, head } = lab.node("base");
	fillWorld(lab.world, lab.nowMs(), await readChain(url, FIRST_BLOCK));
	misbehave(lab);
	const firstRead = readHours === 0 ? { block: head() + 1, atMs: lab.nowMs() } : from;
	return { seed, lab, chain, feeds, firstRead, pushed: () => [] };
}

/** Returns every sale and mint on a chain, in chain order. */
export async function readChain(url: string, firstBlock = 0): Promise<Deed[]> {
	const rpc = async <Result>(method: string, params: unknown[]): Promise<Result> => {
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
		const headers = { "content-type": "application/json" };
		const response = await fetch(url, { method: "POST", headers, body });
		return ((await response.json()) as { result: Result }).result;
	};
	const span = { fromBlock: `0x${firstBlock.toString(16)}`, toBlock: "latest" };
	// A block without a log has neither a sale nor a mint.
	const logs = await rpc<{ blockNumber: Hex }[]>("eth_getLogs", [span]);
	const deeds: Deed[] = [];
	for (const tag of new Set(logs.map(({ blockNumber }) => blockNumber))) {
		const number = Number(tag);
		const [block, receipts] = await Promise.all([
			rpc<Block>("eth_getBlockByNumber", [tag, true]),
			rpc<{ transactionHash: Hex; logs: Log[] }[]>("eth_getBlockReceipts", [tag]),
		]);
		const values = new Map(block.transactions.map(({ hash, value }) => [hash, BigInt(value)]));
		for (const { transactionHash, logs } of receipts) {
			const place = { transactionHash, block: number, atMs: Number(block.timestamp) * 1_000 };
			const value = values.get(transactionHash) ?? 0n;
			deeds.push(...mintsOf(logs, value).map((mint) => ({ ...mint, ...place })));
			deeds.push(...salesOf(logs).map((sale) => ({ ...sale, ...place })));
		}
	}
	return deeds;
}

/** Sets what the provider does not tell to any caller. */
function misbehave({ provider }: ConformanceLab): void {
	const body = JSON.stringify({ errors: ["Internal server error"] });
	for (const on of REFUSED) provider.trouble({ kind: "refuses", status: 500, body, on });
	provider.trouble({ kind: "omits_pages", on: /pages-omitted/ });
}

function mintsOf(logs: readonly Log[], value: bigint): Placeless[] {
	const minted = movesOf(logs).filter(({ from }) => from === ZERO);
	const units = minted.reduce((sum, { quantity }) => sum + quantity, 0n);
	return minted.map((move, index) => {
		const total = (value / units) * move.quantity + (index === 0 ? value % units : 0n);
		return { ...move, kind: "mint", total, currency: ZERO, accepted: true };
	});
}

function movesOf(logs: readonly Log[]): Move[] {
	return logs.flatMap((log): Move[] => {
		const event = decode(log);
		const contract = log.address;
		if (event?.eventName === "Transfer") {
			const { from, to, tokenId } = event.args;
			return [move(contract, from, to, tokenId, 1n)];
		}
		if (event?.eventName === "TransferSingle") {
			const { from, to, id, value } = event.args;
			return [move(contract, from, to, id, value)];
		}
		if (event?.eventName !== "TransferBatch") return [];
		const { from, to, ids, values } = event.args;
		return ids.map((id, index) => move(contract, from, to, id, values[index] ?? 0n));
	});
}

function decode(log: Log) {
	try {
		return decodeEventLog({ abi, topics: log.topics, data: log.data });
	} catch {
		return null;
	}
}

function move(contract: Hex, from: Hex, to: Hex, tokenId: bigint, quantity: bigint): Move {
	const lower = (address: Hex) => address.toLowerCase() as Hex;
	return { contract, from: lower(from), to: lower(to), tokenId, quantity };
}

/**
 * Returns sales: what moved to whom by the tokens' own logs; only the price by the marketplace's.
 */
function salesOf(logs: readonly Log[]): Placeless[] {
	const orders = logs.flatMap((log): Order[] => {
		const event = log.address === SEAPORT ? decode(log) : null;
		return event?.eventName === "OrderFulfilled" ? [event.args] : [];
	});
	if (orders.length === 0) return [];
	const given = new Map<Order, bigint>();
	return movesOf(logs)
		.filter(({ from }) => from !== ZERO)
		.flatMap((move): Placeless[] => {
			const madeBy = (order: Order, who: Hex) => order.offerer.toLowerCase() === who;
			const bid = orders.find((order) => {
				return madeBy(order, move.to) && holds(order.consideration, move) && pays(order.offer);
			});
			// A sweep may buy one id from several sellers in one transaction, each at their own price.
			const ask = orders.find((order) => madeBy(order, move.from) && holds(order.offer, move));
			const order = bid ?? ask;
			if (!order) return [];
			const [goods, money] = bid
				? [bid.consideration, bid.offer]
				: [order.offer, order.consideration];
			const units = sum(goods.filter(isNft));
			const gross = sum(money.filter(isMoney));
			const unit = gross / units;
			const rest = given.has(order) ? 0n : gross % units;
			given.set(order, rest);
			const total = unit * move.quantity + rest;
			const currency = money.find(isMoney)?.token.toLowerCase() ?? ZERO;
			const accepted = total > 0n && move.from !== move.to;
			return [{ ...move, kind: "sale", total, currency: currency as Hex, accepted }];
		});
}
