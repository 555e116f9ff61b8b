import type { Address } from "#core/chain/Hex.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";

/** Returns the contracts of a batch, each with its standard. */
export function contractsOf(batch: Pick<NewEvents, "events">): Map<Address, "erc721" | "erc1155"> {
	const contracts = new Map<Address, "erc721" | "erc1155">();
	let last: Address | null = null;
	for (const { contract, standard } of batch.events) {
		if (contract !== last && !contracts.has(contract)) contracts.set(contract, standard);
		last = contract;
	}
	return contracts;
}
