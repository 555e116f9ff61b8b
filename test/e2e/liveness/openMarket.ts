// Opens a marketplace with tokens to buy on a node.

import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { bigintJson } from "#test/e2e/kills/bigintJson.ts";
import type { StandInBook } from "#test/e2e/kills/providerStandIn.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { deploySeaport } from "#test/harness/seaport.ts";
import { sellListing } from "#test/harness/sellListing.ts";

/** A marketplace where each token is for sale for one coin. */
export type Market = {
	seaport: Hex;
	coin: Hex;
	price: bigint;
	/** Where the stand-in of the marketplace's provider reads what is for sale. */
	bookUrl: string;
	/** Gives a wallet coins, and the marketplace an allowance of them. */
	fillPurse(address: Hex): Promise<void>;
	/** Lists one more token; returns the request that buys it. */
	list(): Promise<{ tokenId: string; body: Record<string, string> }>;
	ownerOf(tokenId: string): Promise<Hex>;
	coinsOf(address: Hex): Promise<bigint>;
	stop(): Promise<void>;
};

const PRICE_RAW = 10n ** 18n;
const PURSE_RAW = 1_000_000n * PRICE_RAW;
const MONTH_S = 30 * 86_400;
/** Index of the node's account that sells. */
const SELLER = 2;
const abi = parseAbi([
	"function mint(address,uint256)",
	"function approve(address,uint256) returns (bool)",
	"function ownerOf(uint256) view returns (address)",
	"function balanceOf(address) view returns (uint256)",
]);

/**
 * Opens a marketplace. Needs a node that mines at once: all tokens are made before the first round.
 */
export async function openMarket(
	anvil: Anvil,
	{ tokens: count }: { tokens: number },
): Promise<Market> {
	const seaport = await deploySeaport(anvil);
	const { tokens, accounts } = seaport;
	const seller = accounts[SELLER];
	if (!seller) throw new Error("no such seller");
	const unsold: bigint[] = [];
	while (unsold.length < count) unsold.push(await seaport.mintNft(seller));
	const listed = new Map<string, StandInBook>();
	const books = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request) {
			// A listing is asked for by its token or by its order.
			const about = new URL(request.url).searchParams.get("about") ?? "";
			return new Response(bigintJson.write(listed.get(about) ?? null));
		},
	});
	const read = async (to: Hex, data: Hex) =>
		BigInt(await anvil.rpc<Hex>("eth_call", [{ to, data }, "latest"]));
	return {
		seaport: seaport.address,
		coin: tokens.coin,
		price: PRICE_RAW,
		bookUrl: `http://127.0.0.1:${books.port}/`,
		async fillPurse(from) {
			const call = (functionName: "mint" | "approve", args: readonly [Hex, bigint]) => {
				const data = encodeFunctionData({ abi, functionName, args });
				return seaport.send({ from, to: tokens.coin, data });
			};
			await anvil.rpc("anvil_impersonateAccount", [from]);
			await call("mint", [from, PURSE_RAW]);
			await call("approve", [seaport.address, 2n ** 256n - 1n]);
			await anvil.rpc("anvil_stopImpersonatingAccount", [from]);
		},
		async list() {
			const id = unsold.shift();
			if (id === undefined) throw new Error("everything is sold");
			const sold = await sellListing({
				seller: SELLER,
				token: { itemType: 2, contract: tokens.nft, id },
				currency: tokens.coin,
				payments: [{ recipient: seller, raw: PRICE_RAW }],
				// The chain's time, which the service's clock is ahead of.
				nowMs: Date.now(),
				endsInS: MONTH_S,
			});
			const fulfilment = structuredClone(sold.fulfilment());
			const parameters = fulfilment.transaction.inputData["parameters"] as Record<string, unknown>;
			// The provider's conduit is not on this node: the marketplace itself takes the coins.
			parameters["fulfillerConduitKey"] = `0x${"0".repeat(64)}`;
			const book = { listing: sold.listing, fulfilment };
			const tokenId = String(id);
			listed.set(tokenId, book);
			listed.set(sold.orderHash, book);
			return { tokenId, body: { contract: tokens.nft, tokenId, maxPriceNative: "1" } };
		},
		async ownerOf(tokenId) {
			const args = [BigInt(tokenId)] as const;
			const data = encodeFunctionData({ abi, functionName: "ownerOf", args });
			return `0x${(await read(tokens.nft, data)).toString(16).padStart(40, "0")}`;
		},
		coinsOf(address) {
			const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [address] });
			return read(tokens.coin, data);
		},
		stop: () => books.stop(true),
	};
}
