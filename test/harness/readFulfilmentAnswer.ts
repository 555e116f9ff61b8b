import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import type { ProviderFulfilment } from "#plugins/provider/contract.ts";
import { createChainNames } from "#plugins/provider/wire/createChainNames.ts";
import { parseWireJson } from "#plugins/provider/wire/parseWireJson.ts";
import { readFulfilment } from "#plugins/provider/wire/readFulfilment.ts";

/** Parses a provider's answer with our adapter. */
export function readFulfilmentAnswer(answer: unknown): ProviderFulfilment {
	const chains = createChainNames(createChainRegistry(builtinChains));
	const read = readFulfilment(parseWireJson(JSON.stringify(answer)), chains);
	if (read === "unreadable") throw new Error("the fulfilment is unreadable");
	return read;
}
