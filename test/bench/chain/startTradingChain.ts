import { encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";
import { feedAbi } from "#test/sandbox/feeds/feedAbi.ts";

/** A chain that mines by the clock, as chains do on which money is sent. */
export type TradingChain = {
	url: string;
	wsUrl: string;
	/** The node's process id. */
	pid: number;
	/** ETH's price, as `USD_FEEDS_JSON` takes it. */
	usdFeeds: unknown;
	call<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
	stop(): Promise<void>;
};

/**
 * One block a second for all transactions: with a block for each, the indexer would be measured.
 */
const BLOCK_EVERY_SECONDS = 1;
const ETH_USD = 2_000n * 10n ** 8n;
const receipt = z.object({ contractAddress: z.templateLiteral(["0x", z.string()]) });

export async function startTradingChain(scope: Scope): Promise<TradingChain> {
	const anvil = await startAnvil();
	const stop = scope.defer(anvil.stop);
	await anvil.rpc("anvil_setLoggingEnabled", [false]);
	const [from] = await anvil.rpc<Hex[]>("eth_accounts");
	const bytecode = compileContracts().SandboxFeed.creation;
	const data = encodeDeployData({ abi: feedAbi, bytecode, args: ["ETH / USD"] });
	const deployed = await anvil.rpc("eth_sendTransaction", [{ from, data }]);
	await anvil.mined();
	const { contractAddress: feed } = receipt.parse(
		await anvil.rpc("eth_getTransactionReceipt", [deployed]),
	);
	const publish = encodeFunctionData({ abi: feedAbi, functionName: "publish", args: [ETH_USD] });
	await anvil.rpc("eth_sendTransaction", [{ from, to: feed, data: publish }]);
	await anvil.mined();
	await anvil.rpc("evm_setAutomine", [false]);
	await anvil.rpc("evm_setIntervalMining", [BLOCK_EVERY_SECONDS]);
	return {
		url: anvil.url,
		wsUrl: anvil.wsUrl,
		pid: anvil.pid,
		usdFeeds: { [anvil.chainId]: { [zeroAddress]: { feed } } },
		call: anvil.rpc,
		stop,
	};
}
