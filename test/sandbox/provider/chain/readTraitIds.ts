import type { Address } from "viem";
import type { Rpc } from "../../Rpc.ts";
import type { ContractFacts, Trait } from "../market/Market.ts";
import { readMetadata } from "./readMetadata.ts";

/** How many first tokens are read for trait offers, which name ids. */
export const TOKENS_FOR_TRAITS = 40;

/**
 * Returns which of the first tokens have each trait; empty for editions, which get bids per item.
 */
export async function readTraitIds(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
): Promise<ContractFacts["traitIds"]> {
	if (contract.standard === "erc1155") return new Map();
	const ids = Array.from({ length: TOKENS_FOR_TRAITS }, (_, n) => BigInt(n + 1));
	const found = new Map<string, { trait: Trait; ids: bigint[] }>();
	for (const [n, { traits }] of (await readMetadata(rpc, contract, ids)).entries()) {
		for (const trait of traits) {
			const key = `${trait.type}/${trait.value}`;
			const entry = found.get(key) ?? { trait, ids: [] };
			found.set(key, entry);
			entry.ids.push(BigInt(n + 1));
		}
	}
	return found;
}
