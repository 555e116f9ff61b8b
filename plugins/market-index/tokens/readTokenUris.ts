import { readAbiText } from "#core/chain/abi/readAbiText.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { callViews } from "#plugins/market-index/metadata/callViews.ts";

/** `tokenURI(uint256)` and `uri(uint256)`. */
const SELECTOR = { erc721: "0xc87b56dd", erc1155: "0x0e89341c" } as const;

/**
 * Asks a contract for the URIs of tokens, in one batch. Null where it reverts or tells nothing
 * readable; an ERC-1155's `{id}` is filled in (64 hex digits, as ERC-1155 says).
 */
export async function readTokenUris(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
	tokenIds: readonly bigint[],
	signal: AbortSignal,
): Promise<(string | null)[]> {
	const { address, standard } = contract;
	const views = tokenIds.map((id): Hex => `${SELECTOR[standard]}${wordOf(id)}`);
	const [answers = []] = await callViews(rpc, [address], views, signal);
	return tokenIds.map((id, index) => {
		const answer = answers[index] ?? null;
		const uri = answer && readAbiText(answer)?.trim();
		return uri ? uri.replaceAll("{id}", wordOf(id)) : null;
	});
}

function wordOf(id: bigint): string {
	return id.toString(16).padStart(64, "0");
}
