import { createConfig } from "ponder";
import { parseAbi, zeroAddress } from "viem";

const { BENCH_RPC_URL, BENCH_ENDPOINTS, BENCH_SEAPORT } = process.env;
// Each endpoint has a limit of its own, which begins at 20 requests/s: ten of them raise it.
const rpc = Array.from({ length: Number(BENCH_ENDPOINTS) }, (_, n) => `${BENCH_RPC_URL}/${n}`);
const chain = "bench";
const startBlock = 0;
const args = { from: zeroAddress };

export default createConfig({
	chains: { [chain]: { id: 31_337, rpc } },
	contracts: {
		Tokens: {
			chain,
			startBlock,
			abi: parseAbi([
				"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
			]),
			filter: { event: "Transfer", args },
		},
		Editions: {
			chain,
			startBlock,
			abi: parseAbi([
				"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
				"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
			]),
			filter: [
				{ event: "TransferSingle", args },
				{ event: "TransferBatch", args },
			],
		},
		Seaport: {
			chain,
			startBlock,
			address: BENCH_SEAPORT as `0x${string}`,
			abi: parseAbi([
				"struct Spent { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
				"struct Received { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
				"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, Spent[] offer, Received[] consideration)",
			]),
		},
	},
});
