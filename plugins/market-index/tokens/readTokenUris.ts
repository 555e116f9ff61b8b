import { readAbiText } from "#core/chain/abi/readAbiText.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { type CallOptions, callEach } from "#plugins/market-index/metadata/callEach.ts";

/** `tokenURI(uint256)` and `uri(uint256)`. */
const SELECTOR = { erc721: "0xc87b56dd", erc1155: "0x0e89341c" } as const;

/**
 * Reads the URIs of tokens from a contract, in one batch. Null where it reverts or answers nothing
 * readable; an ERC-1155's `{id}` is filled in (64 hex digits, as ERC-1155 says).
 */
export async function readTokenUris(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
	tokenIds: readonly bigint[],
	signal: AbortSignal,
): Promise<(string | null)[]> {
	return readUrisOf(
		rpc,
		tokenIds.map((tokenId) => ({ contract, tokenId })),
		{ signal },
	);
}

/** A token of any contract of a chain. */
export type AskedToken = {
	contract: { address: Address; standard: "erc721" | "erc1155" };
	tokenId: bigint;
};

/** Reads the same for tokens of several contracts, as one call where the chain has Multicall3. */
export async function readUrisOf(
	rpc: Rpc,
	tokens: readonly AskedToken[],
	options: CallOptions,
): Promise<(string | null)[]> {
	const views = tokens.map(({ contract: { address, standard }, tokenId }) => {
		const data: Hex = `${SELECTOR[standard]}${wordOf(tokenId)}`;
		return { contract: address, data };
	});
	const answers = await callEach(rpc, views, options);
	return tokens.map(({ tokenId }, index) => {
		const answer = answers[index] ?? null;
		const uri = answer && readAbiText(answer)?.trim();
		return uri ? uri.replaceAll("{id}", wordOf(tokenId)) : null;
	});
}

function wordOf(id: bigint): string {
	return id.toString(16).padStart(64, "0");
}
