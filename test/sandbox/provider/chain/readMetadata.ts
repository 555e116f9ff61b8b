import type { Address } from "viem";
import type { Rpc } from "../../Rpc.ts";
import type { Metadata } from "../market/Market.ts";
import { callViews } from "./callViews.ts";
import { readDataUri } from "./readDataUri.ts";
import { viewAbi } from "./viewAbi.ts";

const NOTHING: Metadata = { uri: "", name: null, description: null, image: null, traits: [] };

/** Reads the metadata of these tokens, in the given order. */
export async function readMetadata(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
	ids: readonly bigint[],
): Promise<Metadata[]> {
	const functionName = contract.standard === "erc721" ? "tokenURI" : "uri";
	const views = ids.map((id) => ({
		to: contract.address,
		abi: viewAbi,
		functionName,
		args: [id],
	}));
	const uris = await callViews(rpc, views);
	return uris.map((uri) => {
		if (typeof uri !== "string") return NOTHING;
		const said = readDataUri(uri);
		if (!said) return { ...NOTHING, uri };
		const traits = (said.attributes ?? []).map(({ trait_type, value }) => ({
			type: trait_type,
			value: String(value),
		}));
		return {
			uri,
			name: said.name ?? null,
			description: said.description ?? null,
			image: said.image ?? null,
			traits,
		};
	});
}
