// Puts a stand-in of LooksRare's exchange at its address on a test node.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Abi, encodeFunctionData, type Hex, parseAbi } from "viem";
import type { Anvil } from "#test/harness/anvil.ts";
import type { SeaportChain } from "#test/harness/seaport.ts";
import type { Receipt } from "#test/harness/seaportOrder.ts";

export type StandInTrade = {
	maker: Hex;
	recipient: Hex;
	currency: Hex;
	collection: Hex;
	isMulti: boolean;
	itemIds: bigint[];
	amounts: bigint[];
	creator: Hex;
	feeAmounts: [bigint, bigint, bigint];
};

const EXCHANGE: Hex = "0x0000000000e655fae4d56241588680f86e3b2377";
const AGGREGATOR: Hex = "0x00000000000000000000000000000000a9974ea7";
const SOURCE = join(import.meta.dir, "contracts/StandIn.sol");
const approving = parseAbi([
	"function setApprovalForAll(address operator, bool approved)",
	"function approve(address spender, uint256 amount)",
]);

/**
 * Puts the stand-in at LooksRare's address, beside the tokens of a Seaport chain, and lets it and
 * an aggregator move what everybody has.
 *
 * The published contract cannot stand here: its package brings Chainlink's, and its sources ask
 * for a compiler of 2022. What it wrote when it was run once is in `recordedTrades.json`.
 */
export async function installStandIn(anvil: Anvil, chain: SeaportChain) {
	const { StandInExchange: exchange, Aggregator: aggregator } = compileStandIn();
	await anvil.rpc("anvil_setCode", [EXCHANGE, exchange.code]);
	await anvil.rpc("anvil_setCode", [AGGREGATOR, aggregator.code]);
	const allow = encodeFunctionData({
		abi: approving,
		functionName: "approve",
		args: [EXCHANGE, 2n ** 256n - 1n],
	});
	for (const from of chain.accounts) {
		for (const operator of [EXCHANGE, AGGREGATOR]) {
			const args = [operator, true] as const;
			const data = encodeFunctionData({ abi: approving, functionName: "setApprovalForAll", args });
			for (const to of [chain.tokens.nft, chain.tokens.multi]) await chain.send({ from, to, data });
		}
		await chain.send({ from, to: chain.tokens.coin, data: allow });
	}
	const call = (functionName: string, args: unknown[], by: { from: Hex; value?: bigint }) =>
		chain.send({
			...by,
			to: EXCHANGE,
			data: encodeFunctionData({ abi: exchange.abi, functionName, args }),
		});
	return {
		/** Buys a listing of `maker`; `recipient` gets the NFTs. */
		buy: (trade: StandInTrade, by: { from: Hex; value?: bigint }): Promise<Receipt> =>
			call("buy", [trade], by),
		/** Accepts an offer of `maker`; `recipient` gets the money. */
		acceptOffer: (trade: StandInTrade, by: { from: Hex }): Promise<Receipt> =>
			call("acceptOffer", [trade], by),
		/** The same through a contract that takes the NFT and the money in its own name. */
		acceptOfferThroughAggregator: (trade: StandInTrade, by: { from: Hex }): Promise<Receipt> =>
			chain.send({
				...by,
				to: AGGREGATOR,
				data: encodeFunctionData({
					abi: aggregator.abi,
					functionName: "acceptOffer",
					args: [EXCHANGE, trade],
				}),
			}),
		/** Emits any log of one topic from the exchange. */
		say: (log: { topic: Hex; data: Hex }, by: { from: Hex }): Promise<Receipt> =>
			call("say", [log.topic, log.data], by),
	};
}

type Compiled = Record<"StandInExchange" | "Aggregator", { abi: Abi; code: Hex }>;

function compileStandIn(): Compiled {
	// Loading solc costs a second, so it is required only when it is needed.
	const solc = createRequire(import.meta.url)("solc");
	const input = {
		language: "Solidity",
		sources: { "StandIn.sol": { content: readFileSync(SOURCE, "utf8") } },
		settings: {
			viaIR: true, // the events have more arguments than the stack is deep
			optimizer: { enabled: true, runs: 200 },
			evmVersion: "cancun",
			outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
		},
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input)));
	for (const error of output.errors ?? []) {
		if (error.severity === "error") throw new Error(error.formattedMessage);
	}
	const of = (name: string) => {
		const { abi, evm } = output.contracts["StandIn.sol"][name];
		return { abi, code: `0x${evm.deployedBytecode.object}` as const };
	};
	return { StandInExchange: of("StandInExchange"), Aggregator: of("Aggregator") };
}
