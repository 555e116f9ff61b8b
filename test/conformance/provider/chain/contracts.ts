// Answers the calls to a price feed and an ERC-20 token, and logs sales.

import {
	decodeFunctionData,
	encodeFunctionResult,
	type Hex,
	isHex,
	numberToHex,
	padHex,
	parseAbi,
	toFunctionSelector,
} from "viem";
import type { Calls, NodeTransaction } from "#test/conformance/provider/chain/startNode.ts";
import { addressOf, type Coin, hashOf } from "#test/conformance/provider/world/World.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

/** An answer that stands from `atS` on. A phase is one contract behind the proxy. */
export type FeedRound = { phase: number; number: number; answer: bigint; atS: number };

export type Aggregator = {
	/** Of the proxy, which is what a service is given. */
	address: Hex;
	decimals: number;
	/** The oldest first. */
	rounds: readonly FeedRound[];
	publish(round: FeedRound): void;
	call: Calls;
};

export type ChainSale = { contract: Hex; tokenId: bigint; seller: Hex; buyer: Hex; wei: bigint };

type RoundData = readonly [bigint, bigint, bigint, bigint, bigint];

const feedAbi = parseAbi([
	"function decimals() view returns (uint8)",
	"function latestRound() view returns (uint256)",
	"function phaseAggregators(uint16 phase) view returns (address)",
	"function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
	"function getRoundData(uint80 round) view returns (uint80, int256, uint256, uint256, uint80)",
]);
const PHASE_BITS = 64n;
const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

const tokenAbi = parseAbi([
	"function decimals() view returns (uint8)",
	"function symbol() view returns (string)",
]);

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/**
 * Makes a price feed as Chainlink documents it: a proxy whose round ids are the phase above 64 bits
 * of the aggregator's own number, and an aggregator for each phase, with `phaseAggregators` between
 * them. A round that a later aggregator does not have is all zeros; the first one, as older
 * contracts do, reverts.
 */
export function createAggregator(
	name: string,
	given: { decimals: number; rounds: readonly FeedRound[] },
): Aggregator {
	const { decimals } = given;
	const rounds = [...given.rounds];
	const address = addressOf(`feed ${name}`);
	const contractOf = (phase: number) => addressOf(`feed ${name} in phase ${phase}`);
	const phases = () => [...new Set(rounds.map(({ phase }) => phase))];
	const idOf = ({ phase, number }: FeedRound) => (BigInt(phase) << PHASE_BITS) | BigInt(number);

	/** Words of a round, with its id as the proxy or as the aggregator itself tells it. */
	function dataOf(id: bigint, isOf: (round: FeedRound) => boolean): RoundData | null {
		const round = rounds.findLast(isOf);
		const isFirstPhase = id >> PHASE_BITS <= 1n;
		if (!round) return isFirstPhase ? null : [id, 0n, 0n, 0n, id];
		const at = BigInt(round.atS);
		return [id, round.answer, at, at, id];
	}

	function ofProxy(asked: ReturnType<typeof decode>): Hex | null {
		const newest = rounds.at(-1);
		if (!asked || !newest) return null;
		switch (asked.functionName) {
			case "decimals":
				return encode("decimals", decimals);
			case "latestRound":
				return encode("latestRound", idOf(newest));
			case "phaseAggregators": {
				const [phase] = asked.args;
				return encode("phaseAggregators", phases().includes(phase) ? contractOf(phase) : NOBODY);
			}
			case "latestRoundData": {
				const data = dataOf(idOf(newest), (round) => round === newest);
				return data && encode("latestRoundData", data);
			}
			case "getRoundData": {
				const [id] = asked.args;
				if (!phases().includes(Number(id >> PHASE_BITS))) return null;
				const data = dataOf(id, (round) => idOf(round) === id);
				return data && encode("getRoundData", data);
			}
		}
	}

	return {
		address,
		decimals,
		rounds,
		publish: (round) => void rounds.push(round),
		call(to, data) {
			const asked = decode(data);
			if (to === address) return ofProxy(asked);
			const phase = phases().find((one) => contractOf(one) === to);
			if (phase === undefined) return undefined;
			const last = rounds.findLast((round) => round.phase === phase);
			return asked?.functionName === "latestRound" && last
				? encode("latestRound", BigInt(last.number))
				: null;
		},
	};
}

/** Returns the calls that an ERC-20 contract answers about itself. */
export function createToken({ address, symbol, decimals }: Coin): Calls {
	const answers = new Map([
		[
			toFunctionSelector(tokenAbi[0]),
			encodeFunctionResult({ abi: tokenAbi, functionName: "decimals", result: decimals }),
		],
		[
			toFunctionSelector(tokenAbi[1]),
			encodeFunctionResult({ abi: tokenAbi, functionName: "symbol", result: symbol }),
		],
	]);
	return (to, data) => (to === address ? (answers.get(data) ?? null) : undefined);
}

/** A filled listing as Seaport and the token's contract log it. */
export function saleTransaction(sale: ChainSale): NodeTransaction {
	const { contract, tokenId, seller, buyer, wei } = sale;
	const transfer = {
		address: contract,
		topics: [
			TRANSFER as Hex,
			padHex(seller, { size: 32 }),
			padHex(buyer, { size: 32 }),
			numberToHex(tokenId, { size: 32 }),
		],
		data: "0x" as Hex,
	};
	const { address, topics, data } = seaportLogs.fulfilled({
		orderHash: hashOf(`sale of ${contract} ${tokenId} ${wei}`),
		offerer: seller,
		zone: ZERO,
		recipient: buyer,
		offer: [{ itemType: 2, token: contract, identifier: tokenId, amount: 1n }],
		consideration: [{ itemType: 0, token: ZERO, identifier: 0n, amount: wei, recipient: seller }],
	});
	return { value: wei, logs: [transfer, { address, topics: [...topics], data }] };
}

function decode(data: unknown) {
	if (!isHex(data)) return null;
	try {
		return decodeFunctionData({ abi: feedAbi, data });
	} catch {
		return null;
	}
}

function encode(functionName: (typeof feedAbi)[number]["name"], result: unknown): Hex {
	return encodeFunctionResult({ abi: feedAbi, functionName, result } as never);
}
